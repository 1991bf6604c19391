import type { ServerResponse } from 'node:http'
import { ServiceError } from '../domain/errors.ts'
import { type Event, type EventType, publicEventId } from '../domain/event.ts'
import { endedCredential, includesScope } from '../domain/key.ts'
import { authenticate, type Credentials, hashKey } from '../operations/authentication.ts'
import type { Context } from '../operations/context.ts'
import { openFeeds } from '../operations/feeds.ts'
import { countUnreadBytes, eventMessage, openStream, type Stream } from './event-stream.ts'

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
  admit(request: StreamRequest): AdmittedStream
  /** Ends all streams, so that their clients connect to another instance. */
  close(): void
}

interface AdmittedStream {
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
    admit(request) {
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
