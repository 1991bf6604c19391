import type { ServerResponse } from 'node:http'
import type { Event, EventType } from '../../domain/event.ts'
import { includesScope } from '../../domain/key.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../../operations/context.ts'
import { openFeeds } from '../../operations/events/open-feeds.ts'
import { authenticate, type Credentials } from '../../operations/keys/authenticate.ts'
import { openStream, type Stream } from './open-stream.ts'

/** Shorter than proxies keep a quiet connection open (often 60 seconds). Callers are checked at the same interval. */
const HEARTBEAT_MS = 15_000
const MAX_PER_KEY = 100
const MAX_STREAMS = 5_000

export interface StreamRequest {
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
  /** Undefined until all older events are sent. */
  livePosition(): number | undefined
}

/** All event streams of this instance. */
export function openEventStreams(
  context: Context,
  toText: (event: Event) => string,
  heartbeatMs = HEARTBEAT_MS,
): EventStreams {
  const streams = new Set<OpenStream>()
  const countByKey = new Map<string, number>()
  let total = 0
  let isChecking = false
  let isClosed = false

  const feeds = openFeeds(context, (event) => {
    // The streams of the key end immediately, without waiting for the next check.
    if (event.type === 'key.revoked') endStreamsOf(event.data.id)
    return toText(event)
  })
  const timer = setInterval(() => {
    for (const stream of streams) stream.sendPosition(stream.livePosition())
    void endUnauthorized()
  }, heartbeatMs).unref()

  function endStreamsOf(keyId: string): void {
    for (const stream of streams) if (stream.keyId === keyId) stream.end()
  }

  /** Ends the streams whose key was revoked or whose session has ended. Checks each caller once. */
  async function endUnauthorized(): Promise<void> {
    if (isChecking) return
    isChecking = true
    const callers = Map.groupBy(streams, ({ credentials }) => JSON.stringify(credentials))
    for (const some of callers.values()) {
      const isAllowed = some[0] === undefined || (await mayRead(context, some[0]))
      if (!isAllowed) for (const stream of some) stream.end()
    }
    isChecking = false
  }

  function count(keyId: string, by: number): void {
    total += by
    const counted = (countByKey.get(keyId) ?? 0) + by
    if (counted === 0) countByKey.delete(keyId)
    else countByKey.set(keyId, counted)
  }

  return {
    reserve(request) {
      const { accountId, keyId, types } = request
      if ((countByKey.get(keyId) ?? 0) >= MAX_PER_KEY || total >= MAX_STREAMS) throw tooMany()
      count(keyId, 1)
      return {
        release: () => count(keyId, -1),
        start(response, position) {
          const stream = openStream(response, position)
          // The client has already disconnected, so the response does not emit `close` anymore.
          if (stream.isClosed()) return count(keyId, -1)
          let isLive = false
          const follower = {
            types: types && new Set(types),
            position,
            send: stream.send,
            sendOlder: stream.sendSlowly,
            isClosed: stream.isClosed,
            onBehind: follow,
          }
          const livePosition = () => (isLive ? follower.position : undefined)
          const open = { ...request, ...stream, livePosition }
          streams.add(open)
          response.once('close', () => {
            count(keyId, -1)
            streams.delete(open)
            feeds.leave(accountId, follower)
          })
          if (isClosed) stream.end()
          follow()

          /** Reads older events at the speed of the client, then joins the feed of new ones. */
          function follow(): void {
            isLive = false
            feeds.follow(accountId, follower).then(
              () => {
                isLive = true
              },
              (error: unknown) => {
                context.warn('could not read events for a stream', error)
                stream.end()
              },
            )
          }
        },
      }
    },

    close() {
      isClosed = true
      clearInterval(timer)
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
    `There are too many open event streams: an instance allows ${MAX_PER_KEY} per key and ${MAX_STREAMS} in total. Close one, or read GET /events in pages.`,
  )
}
