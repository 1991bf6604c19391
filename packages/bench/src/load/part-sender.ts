import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'

export interface Sent {
  status: number
  headers: IncomingMessage['headers']
}

export interface Message {
  method: string
  url: string
  headers?: OutgoingHttpHeaders
  body?: Buffer
}

/** After so long without a byte either way, a server has failed. */
const IDLE_MS = 60_000

/** Sends bodies over connections that stay open. Throws when an answer is not a success. */
export function openSender(atOnce: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  function send({ method, url, headers, body }: Message): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const length = body?.length ?? 0
      const sized = { 'Content-Length': length, ...headers }
      const options = { method, agent, headers: sized, timeout: IDLE_MS }
      const outgoing = request(url, options, (response) => {
        const { statusCode: status = 0, headers: answered } = response
        response.resume().once('end', () => {
          if (status >= 200 && status < 300) resolve({ status, headers: answered })
          else reject(new Error(`${method} answered ${status}`))
        })
      })
      outgoing.once('error', reject)
      outgoing.once('timeout', () => outgoing.destroy(new Error(`${method} got no answer`)))
      outgoing.end(body)
    })
  }
  return { send, close: () => agent.destroy() }
}

/** Runs the jobs in their order, so many at a time. */
export async function inParallel(atOnce: number, jobs: (() => Promise<unknown>)[]): Promise<void> {
  const queue = jobs.values()
  const work = async () => {
    for (const job of queue) await job()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
