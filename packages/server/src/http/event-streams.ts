import type { ServerResponse } from 'node:http'
import { ServiceError } from '../domain/errors.ts'
import { type Event, type EventType, publicEventId } from '../domain/event.ts'
import { endedCredential, includesScope } from '../domain/key.ts'
import { authenticate, type Credentials, hashKey } from '../operations/authentication.ts'
import type { Context } from '../operations/context.ts'
import { type FeedEvent, openFeeds } from '../operations/feeds.ts'

/** Shorter than proxies keep a quiet connection open (often 60 seconds). Callers are checked at the same interval. */
const HEARTBEAT_MS = 15_000
const MAX_PER_KEY = 100
const MAX_PER_ACCOUNT = 1_000
const MAX_STREAMS = 5_000
/** A client that does not read for this long is disconnected. It can continue after the last event that it got. */
const STALLED_MS = 30_000
/** The same while unread events use much memory. */
const STALLED_MS_WITHOUT_ROOM = 2_000
const CHECK_MS = 1_000
/** If there are more streams, their callers are checked only at the interval of the heartbeat. */
const MAX_CHECKED_OFTEN = 200

interface StreamRequest {
  accountId: string
  keyId: string
  credentials: Credentials
  /** Undefined: all types. */
  types: EventType[] | undefined
}

export interface EventStreams {
  /** Counts the stream. Throws `too_many_streams`. */
  reserve(request: StreamRequest): Reservation
  /** Ends all streams, so that their clients connect to another instance. */
  close(): void
}

export interface Reservation {
  /** Sends the events after `position` until the client disconnects or loses its access, or the service stops. */
  start(response: ServerResponse, position: number): void
  /** Call it if the stream does not start. */
  release(): void
}

interface OpenStream extends Stream, StreamRequest {
  /** All events up to this ID were sent. */
  position(): number
}

/** All event streams of this instance. */
export function openEventStreams(
  context: Context,
  toText: (event: Event) => string,
  heartbeatMs = HEARTBEAT_MS,
): EventStreams {
  const streams = new Set<OpenStream>()
  const unread = countUnreadBytes()
  /** By the IDs of keys and accounts. */
  const counts = new Map<string, number>()
  let total = 0
  let isChecking = false
  let isClosed = false

  const feeds = openFeeds(context, {
    toMessage: (event) => eventMessage(publicEventId(event.id, event.createdAt), toText(event)),
    onEndedCredential(name) {
      // A command may have revoked some key, for example by writing to the file of SQLite.
      if (name !== undefined || streams.size <= MAX_CHECKED_OFTEN) void endUnauthorized(name)
    },
  })
  const heartbeat = setInterval(() => {
    for (const stream of streams) stream.sendPosition(stream.position())
    void endUnauthorized()
  }, heartbeatMs).unref()
  const check = setInterval(() => {
    for (const stream of streams) {
      const hasRoom = unread.hasRoom(stream.accountId, { isRead: false })
      stream.closeIfStalled(hasRoom ? STALLED_MS : STALLED_MS_WITHOUT_ROOM)
    }
  }, CHECK_MS).unref()

  /** Ends the streams whose key was revoked or whose session has ended. Checks each caller once. */
  async function endUnauthorized(ended?: string): Promise<void> {
    if (ended === undefined && isChecking) return
    if (ended === undefined) isChecking = true
    const concerned = ended === undefined ? streams : withCredential(ended)
    const callers = Map.groupBy(concerned, ({ credentials }) => JSON.stringify(credentials))
    for (const some of callers.values()) {
      const isAllowed = some[0] === undefined || (await mayRead(context, some[0]))
      if (!isAllowed) for (const stream of some) stream.end()
    }
    if (ended === undefined) isChecking = false
  }

  function* withCredential(ended: string): Iterable<OpenStream> {
    for (const stream of streams) {
      const { keyId, credentials } = stream
      const { sessionToken } = credentials
      const isOfSession =
        sessionToken !== undefined && endedCredential(hashKey(sessionToken)) === ended
      if (isOfSession || endedCredential(keyId) === ended) yield stream
    }
  }

  function count({ keyId, accountId }: StreamRequest, by: 1 | -1): void {
    total += by
    for (const id of [keyId, accountId]) {
      const counted = (counts.get(id) ?? 0) + by
      if (counted === 0) counts.delete(id)
      else counts.set(id, counted)
    }
  }

  return {
    reserve(request) {
      const { accountId, keyId, types } = request
      const ofKey = counts.get(keyId) ?? 0
      const ofAccount = counts.get(accountId) ?? 0
      if (ofKey >= MAX_PER_KEY || ofAccount >= MAX_PER_ACCOUNT || total >= MAX_STREAMS) {
        throw tooMany()
      }
      count(request, 1)
      return {
        release: () => count(request, -1),
        start(response, position) {
          const stream = openStream(response, position, { unread, accountId })
          // The client has already disconnected, so the response does not emit `close` anymore.
          if (stream.isClosed()) return count(request, -1)
          const follower = {
            types: types && new Set(types),
            position,
            send: stream.send,
            isReady: stream.isReady,
            untilReady: stream.untilReady,
            isClosed: stream.isClosed,
            onBehind: follow,
            onEnd: stream.end,
          }
          const open = { ...request, ...stream, position: () => follower.position }
          streams.add(open)
          response.once('close', () => {
            count(request, -1)
            streams.delete(open)
            feeds.leave(accountId, follower)
          })
          if (isClosed) stream.end()
          follow()

          /** Reads older events at the speed of the client, then joins the feed of new ones. */
          function follow(): void {
            feeds.follow(accountId, follower).catch((error: unknown) => {
              // The client connects again and then gets the error, for example because its events were forgotten.
              if (!(error instanceof ServiceError)) {
                context.warn('could not read events for a stream', error)
              }
              stream.end()
            })
          }
        },
      }
    },

    close() {
      isClosed = true
      clearInterval(heartbeat)
      clearInterval(check)
      for (const stream of streams) stream.end()
      feeds.close()
    },
  }
}

/** Returns true during an outage of the database, so that streams stay open. */
async function mayRead(context: Context, { accountId, credentials }: StreamRequest) {
  try {
    const caller = await authenticate(context, credentials)
    return caller.accountId === accountId && includesScope(caller.scope, 'read')
  } catch (error) {
    return !(error instanceof ServiceError)
  }
}

function tooMany(): ServiceError {
  return new ServiceError(
    'too_many_streams',
    `There are too many open event streams: an instance allows ${MAX_PER_KEY} per key, ${MAX_PER_ACCOUNT} per account and ${MAX_STREAMS} in total. Close one, or read GET /events in pages.`,
  )
}

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

interface Stream {
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
function eventMessage(id: number, data: string): Buffer {
  return Buffer.from(`id: ${id}\ndata: ${data}\n\n`)
}
