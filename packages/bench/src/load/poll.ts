import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Poll } from './send-load.ts'

/*
 * A worker thread that repeats requests. It posts `ready` after the warm-up, sends them until it gets a message, then
 * posts the longest response time of each.
 */
const { url, polls } = workerData as { url: string; polls: Poll[] }
const WARM_UP = 20
const agent = new Agent({ keepAlive: true, maxSockets: polls.length })

function send({ path, method = 'GET', headers, body }: Poll): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { agent, method, headers }, (response) => {
      const { statusCode: status = 0 } = response
      response.resume().once('end', () => {
        if (status >= 200 && status < 300) resolve(performance.now() - start)
        else reject(new Error(`${method} ${path}: status ${status}`))
      })
    })
      .once('error', reject)
      .end(body)
  })
}

let isStopped = false
parentPort?.once('message', () => {
  isStopped = true
})

async function repeat(poll: Poll): Promise<number> {
  let longest = 0
  while (!isStopped) {
    longest = Math.max(longest, await send(poll))
    await pause(poll.pauseMs)
  }
  return longest
}

try {
  for (const poll of polls) {
    for (let count = 0; count < WARM_UP; count += 1) await send(poll)
  }
  parentPort?.postMessage('ready')
  parentPort?.postMessage(await Promise.all(polls.map(repeat)))
} catch (error) {
  parentPort?.postMessage(`${error}`)
}
agent.destroy()
