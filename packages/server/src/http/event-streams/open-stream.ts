import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FeedEvent } from '../../operations/events/create-feed.ts'

/** New events are not sent to a client that has more unread bytes than this. */
const MAX_UNREAD_BYTES = 256 * 1024
/** A client that does not read for this long is disconnected. It can continue after the last event that it got. */
const DRAIN_MS = 30_000
/** How long an ended stream waits for its client to read everything. */
const END_MS = 5_000
/** How long a client waits before it connects again. Random, so that not all clients connect at the same time. */
const RETRY_MS = { min: 500, max: 2_500 }

export interface Stream {
  isClosed(): boolean
  /** Returns how many events were sent: fewer if the client does not read fast enough. */
  send(events: FeedEvent[]): number
  /** Resolves when the client has read most of the events. Disconnects a client that does not read. */
  sendSlowly(events: FeedEvent[]): Promise<void>
  /** Keeps the connection alive. A client that reconnects continues after the position, if one was sent. */
  sendPosition(position: number | undefined): void
  /** Ends the stream. Soon afterward, a client that does not read is disconnected. */
  end(): void
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function openStream(
  response: ServerResponse,
  position: number,
  { drainMs = DRAIN_MS, endMs = END_MS } = {},
): Stream {
  const isClosed = () => response.writableEnded || response.destroyed

  function write(text: string): boolean {
    if (isClosed()) return true
    return response.write(text)
  }

  async function untilRead(): Promise<void> {
    const timer = setTimeout(() => response.destroy(), drainMs)
    await once(response, 'drain', { signal: gone.signal }).catch(() => {})
    clearTimeout(timer)
  }

  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const retryMs = Math.round(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
  write(`retry: ${retryMs}\nid: ${position}\n\n`)
  return {
    isClosed,
    send(events) {
      let sent = 0
      for (const event of events) {
        if (response.writableLength > MAX_UNREAD_BYTES) break
        write(textOf(event))
        sent += 1
      }
      return sent
    },
    async sendSlowly(events) {
      if (response.writableNeedDrain && !isClosed()) await untilRead()
      for (const event of events) {
        if (!write(textOf(event)) && !isClosed()) await untilRead()
      }
    },
    // A message without data is not an event, but its ID counts. A line that starts with a colon is a comment.
    sendPosition(id) {
      if (!response.writableNeedDrain) write(id === undefined ? ':\n\n' : `id: ${id}\n\n`)
    },
    end() {
      if (isClosed()) return
      response.end()
      const timer = setTimeout(() => response.destroy(), endMs).unref()
      response.once('close', () => clearTimeout(timer))
    },
  }
}

/** Omits the field `event`, so that browsers pass every event to `onmessage`. */
function textOf({ id, text }: FeedEvent): string {
  return `id: ${id}\ndata: ${text}\n\n`
}
