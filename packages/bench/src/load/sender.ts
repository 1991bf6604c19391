import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'

interface Sent {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

interface Message {
  method: string
  url: string
  headers?: OutgoingHttpHeaders
  body?: Buffer
}

/** Sends a request. Throws if the response is not a success. */
export type Send = (message: Message) => Promise<Sent>

/** A server that neither reads nor sends a byte for this long has failed. */
const IDLE_MS = 60_000

/** Sends bodies over persistent connections. */
export function openSender(concurrency: number): { send: Send; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  function send({ method, url, headers, body }: Message): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const length = body?.length ?? 0
      const sized = { 'Content-Length': length, ...headers }
      const options = { method, agent, headers: sized, timeout: IDLE_MS }
      const outgoing = request(url, options, (response) => {
        const { statusCode: status = 0, headers: received } = response
        let text = ''
        response.setEncoding('utf8').on('data', (more) => {
          text += more
        })
        response.once('end', () => {
          if (status >= 200 && status < 300) resolve({ status, headers: received, text })
          else reject(new Error(`${method} failed with ${status}: ${text.slice(0, 300)}`))
        })
      })
      outgoing.once('error', reject)
      outgoing.once('timeout', () => outgoing.destroy(new Error(`${method} got no response`)))
      outgoing.end(body)
    })
  }
  return { send, close: () => agent.destroy() }
}

/** Runs the tasks in order, at most `concurrency` at a time. */
export async function inParallel(
  concurrency: number,
  tasks: (() => Promise<unknown>)[],
): Promise<void> {
  const queue = tasks.values()
  const work = async () => {
    for (const task of queue) await task()
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
