import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import type { Event } from '@stowage/protocol'
import { cleanUp } from '../machine/clean-up.ts'
import { anHttpServer } from '../machine/ports.ts'
import { API } from './upload.ts'

export interface ReadStream {
  headers: Headers
  /** The events so far. */
  events: Event[]
  /** The ID of the last message that had an ID, with or without an event. */
  lastId(): string | undefined
  isEnded(): boolean
  /** Disconnects. */
  close(): void
}

/** Opens an event stream and reads it until the test ends. */
export async function anEventStream(
  t: TestContext,
  baseUrl: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<ReadStream> {
  const stop = new AbortController()
  cleanUp(t, () => stop.abort())
  const response = await fetch(`${baseUrl}${API}/events${query}`, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  })
  assert.equal(response.status, 200, `${response.status}`)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const events: Event[] = []
  let lastId: string | undefined
  let isEnded = false

  async function read(): Promise<void> {
    let text = ''
    const body = response.body?.pipeThrough(new TextDecoderStream())
    for await (const chunk of body ?? []) {
      text += chunk
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        lastId = /^id: (.*)$/m.exec(message)?.[1] ?? lastId
        const data = /^data: (.*)$/m.exec(message)?.[1]
        if (data === undefined) continue
        const event = JSON.parse(data) as Event
        assert.equal(String(event.id), lastId)
        events.push(event)
      }
    }
  }
  read()
    .catch(() => {})
    .finally(() => {
      isEnded = true
    })
  return {
    headers: response.headers,
    events,
    lastId: () => lastId,
    isEnded: () => isEnded,
    close: () => stop.abort(),
  }
}

interface ReceivedRequest {
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
