import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * A thread with many clients of one account, which send the next request as soon as they have the response to the last
 * one. It runs until it is terminated.
 */
const { baseUrl, key, clients, served }: Flood = workerData

export interface Flood {
  baseUrl: string
  key: string
  clients: number
  /** One counter, of the responses. */
  served: Int32Array<SharedArrayBuffer>
}

const LINK = JSON.stringify({ filename: 'a link', url: 'https://example.com/x', size: 5 })

function send(agent: Agent, isWrite: boolean): Promise<void> {
  const path = isWrite ? '/api/v1/assets/store' : '/api/v1/assets?search=li&sort=filename'
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(baseUrl + path, { agent, headers, method: isWrite ? 'POST' : 'GET' })
    sent.on('error', reject)
    sent.on('response', (response) =>
      response.resume().on('end', () => {
        Atomics.add(served, 0, 1)
        resolve()
      }),
    )
    sent.end(isWrite ? LINK : undefined)
  })
}

async function repeat(index: number): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await send(agent, index % 4 > 0)
  parentPort?.postMessage('responded')
  for (;;) await send(agent, index % 4 > 0)
}

await Promise.all(Array.from({ length: clients }, (_, index) => repeat(index)))
