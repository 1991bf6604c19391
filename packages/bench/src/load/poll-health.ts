import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * A worker thread that polls `/healthz`. It posts `ready` after the warm-up, polls until it gets a
 * message, then posts the longest response time.
 */
const INTERVAL_MS = 5
const WARM_UP = 20
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function poll(): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    get(`${workerData}/healthz`, { agent }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - start)
        else reject(new Error(`status ${response.statusCode}`))
      })
    }).once('error', reject)
  })
}

let isStopped = false
parentPort?.once('message', () => {
  isStopped = true
})

let longest = 0
try {
  for (let count = 0; count < WARM_UP; count += 1) await poll()
  parentPort?.postMessage('ready')
  while (!isStopped) {
    longest = Math.max(longest, await poll())
    await pause(INTERVAL_MS)
  }
  parentPort?.postMessage(longest)
} catch (error) {
  parentPort?.postMessage(`${error}`)
}
agent.destroy()
