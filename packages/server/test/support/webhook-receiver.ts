import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface WebhookReceiver {
  url: string
  received: ReceivedRequest[]
  /** The events or pings that were received, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  events(): any[]
  /** Responds to each request. Tests replace it; by default, it responds with 200. */
  respond: (response: ServerResponse, request: ReceivedRequest) => void
}

/** An endpoint that records the requests it receives. */
export async function aWebhookReceiver(t: TestContext): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = []
  const receiver: WebhookReceiver = {
    url: '',
    received,
    events: () => received.map(({ body }) => JSON.parse(body)),
    respond: (response) => response.end('ok'),
  }
  const url = await anHttpServer(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      const one = { path, headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      receiver.respond(response, one)
    })
  })
  receiver.url = `${url}/hook`
  return receiver
}
