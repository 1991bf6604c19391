import type { ServerResponse } from 'node:http'
import type { FeedEvent } from '../operations/feeds.ts'

/** New events are not sent to a client that has more unread bytes than this. */
const MAX_UNREAD_BYTES = 256 * 1024
/**
 * The same for all streams of an account, and of the instance. Streams whose clients have read everything may use twice
 * as much, so that clients that do not read delay no others.
 */
const MAX_UNREAD_OF_ACCOUNT = 8 * 1024 * 1024
const MAX_UNREAD_OF_ALL = 64 * 1024 * 1024
/** How long an ended stream waits for its client to read everything. */
const END_MS = 5_000
/** How long a client waits before it connects again. Random, so that not all clients connect at the same time. */
const RETRY_MS = { min: 500, max: 2_500 }

export interface Stream {
  isClosed(): boolean
  /** Returns how many events were sent: fewer if the client does not read fast enough, or if memory is short. */
  send(events: FeedEvent[]): number
  /** Whether the client has read everything, and memory is available. */
  isReady(): boolean
  /** Resolves when the stream is ready or closed. */
  untilReady(): Promise<void>
  /** Keeps the connection alive. A client that reconnects continues after the position. */
  sendPosition(position: number): void
  /** Disconnects a client that has unread bytes and has not read for this time. */
  closeIfStalled(stalledMs: number): void
  /** Ends the stream. Soon afterward, a client that does not read is disconnected. */
  end(): void
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function openStream(
  response: ServerResponse,
  position: number,
  { unread: allUnread, accountId, endMs = END_MS }: StreamOptions,
): Stream {
  const isClosed = () => response.writableEnded || response.destroyed
  const hasRoom = () => allUnread.hasRoom(accountId, { isRead: unread === 0 })
  const isReady = () => unread === 0 && hasRoom()
  let unread = 0
  let lastReadAt = 0
  let isGone = false
  let onRead: (() => void) | undefined

  function count(bytes: number): void {
    unread += bytes
    allUnread.add(accountId, bytes)
    if (unread === 0) onRead?.()
  }

  function write(message: Buffer): void {
    if (isClosed()) return
    if (unread === 0) lastReadAt = performance.now()
    count(message.length)
    response.write(message, () => {
      if (isGone) return
      lastReadAt = performance.now()
      count(-message.length)
    })
  }

  response.once('close', () => {
    isGone = true
    count(-unread)
  })
  const retryMs = Math.round(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
  write(Buffer.from(`retry: ${retryMs}\nid: ${position}\n\n`))
  return {
    isClosed,
    isReady,
    send(events) {
      let sent = 0
      for (const { message } of events) {
        if (unread > MAX_UNREAD_BYTES || !hasRoom()) break
        write(message)
        sent += 1
      }
      return sent
    },
    async untilReady() {
      // A heartbeat may be written while the stream waits for memory, so both conditions are checked again.
      while (!isClosed() && !isReady()) {
        await new Promise<void>((resolve, reject) => {
          onRead = resolve
          if (unread === 0) allUnread.untilRoom().then(resolve, reject)
        })
        onRead = undefined
      }
    },
    // A message without data is not an event, but its ID counts.
    sendPosition(id) {
      if (unread === 0) write(Buffer.from(`id: ${id}\n\n`))
    },
    closeIfStalled(stalledMs) {
      if (unread > 0 && performance.now() - lastReadAt > stalledMs) response.destroy()
    },
    end() {
      if (isClosed()) return
      response.end()
      const timer = setTimeout(() => response.destroy(), endMs).unref()
      response.once('close', () => clearTimeout(timer))
    },
  }
}

interface StreamOptions {
  unread: UnreadBytes
  accountId: string
  endMs?: number
}

/** The bytes that the clients of all streams have not read yet. */
interface UnreadBytes {
  add(accountId: string, bytes: number): void
  /** Whether a stream of this account may get further events. `isRead`: its client has read the previous ones. */
  hasRoom(accountId: string, stream: { isRead: boolean }): boolean
  /** Resolves when there is room for an account again. */
  untilRoom(): Promise<void>
}

export function countUnreadBytes(): UnreadBytes {
  const byAccount = new Map<string, number>()
  let total = 0
  let waiting: PromiseWithResolvers<void> | undefined

  const isFull = (share: number) => total > share * MAX_UNREAD_OF_ALL
  const isAccountFull = (accountId: string, share: number) =>
    (byAccount.get(accountId) ?? 0) > share * MAX_UNREAD_OF_ACCOUNT

  return {
    hasRoom(accountId, { isRead }) {
      const share = isRead ? 2 : 1
      return !isFull(share) && !isAccountFull(accountId, share)
    },
    add(accountId, bytes) {
      const [wasFull, wasAccountFull] = [isFull(2), isAccountFull(accountId, 2)]
      total += bytes
      const sum = (byAccount.get(accountId) ?? 0) + bytes
      if (sum === 0) byAccount.delete(accountId)
      else byAccount.set(accountId, sum)
      // Checked separately: other accounts get room even if this one still has none.
      const hasRoomAgain =
        (wasFull && !isFull(2)) || (wasAccountFull && !isAccountFull(accountId, 2))
      if (!hasRoomAgain) return
      waiting?.resolve()
      waiting = undefined
    },
    untilRoom() {
      waiting ??= Promise.withResolvers()
      return waiting.promise
    },
  }
}

/** Omits the field `event`, so that browsers pass every event to `onmessage`. */
export function eventMessage(id: number, data: string): Buffer {
  return Buffer.from(`id: ${id}\ndata: ${data}\n\n`)
}
