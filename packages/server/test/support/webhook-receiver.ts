import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'

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
  /** Responds to requests from now on. By default it responds with 200. */
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
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      const one = { path, headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      receiver.respond(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  cleanUp(t, () => {
    server.close()
    server.closeAllConnections()
  })
  return receiver
}
