import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * A thread: asks until it is told that it is enough, then tells the longest wait. Says so once the
 * connection is warm.
 */
const EVERY_MS = 5
const WARM_UP = 20
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function ask(): Promise<number> {
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

let isEnough = false
parentPort?.once('message', () => {
  isEnough = true
})

let longest = 0
try {
  for (let count = 0; count < WARM_UP; count += 1) await ask()
  parentPort?.postMessage('ready')
  while (!isEnough) {
    longest = Math.max(longest, await ask())
    await pause(EVERY_MS)
  }
  parentPort?.postMessage(longest)
} catch (error) {
  parentPort?.postMessage(`${error}`)
}
agent.destroy()
