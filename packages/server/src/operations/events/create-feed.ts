import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventType } from '../../domain/event.ts'
import { type EventBatch, nextLimit } from './read-events.ts'

/** An event as it is sent. Its bytes are created once, and shared by all subscribers. */
export interface FeedEvent {
  /** The public ID. */
  id: number
  type: EventType
  message: Buffer
}

export interface Subscriber {
  /** Undefined: all types. */
  types: ReadonlySet<EventType> | undefined
  /** The subscriber has received all events up to this public ID. */
  position: number
  /** Receives new events in order, each once. Must not block. Returns how many events were accepted. */
  send(events: FeedEvent[]): number
  /** Called if `send` has not accepted all events. The subscriber has then left the feed. */
  onBehind(): void
  /** Called when the subscriber gets no further events. It can only continue after it has connected again. */
  onEnd(): void
}

export interface Feed {
  /** Adds the subscriber, and sends it the recent events after its position. False if it would miss events. */
  join(subscriber: Subscriber): boolean
  leave(subscriber: Subscriber): void
  /** Reads new events and sends them to all subscribers. */
  readNew(): Promise<void>
  /** Removes all subscribers and ends them: the database has been restored, and does not have their last event. */
  endAll(): void
  size(): number
}

export interface FeedQuery {
  after: number
  limit: number
  maxBytes: number
}

/** How many events are kept for subscribers that join. */
const MAX_RECENT = 200
const PAGE_BYTES = 256 * 1024
/** After this many bytes for all subscribers together, other requests are served first. */
const MAX_TURN_BYTES = 1_000_000
/** What a message costs in addition to its bytes, so that many small ones also count. */
const MESSAGE_COST = 1_000

/** The new events of one account. Each is read once for all subscribers. */
export function createFeed(
  read: (query: FeedQuery) => Promise<EventBatch<FeedEvent>>,
  /** How many bytes of recent events may be kept. */
  maxRecentBytes: () => number,
): Feed {
  const subscribers = new Set<Subscriber>()
  /** The last events. All events after `recentAfter` are included. */
  let recent: FeedEvent[] = []
  let recentAfter = 0
  /** All events up to this ID have been read. */
  let position = 0
  let reading: Promise<void> | undefined
  let mustReadAgain = false
  let limit = nextLimit()

  function send(subscriber: Subscriber, events: FeedEvent[]): void {
    const { types, position: after } = subscriber
    const wanted = events.filter(({ id, type }) => id > after && (types?.has(type) ?? true))
    const accepted = wanted.length > 0 ? subscriber.send(wanted) : 0
    if (accepted === wanted.length) {
      subscriber.position = Math.max(after, position)
      return
    }
    subscriber.position = wanted[accepted - 1]?.id ?? after
    subscribers.delete(subscriber)
    subscriber.onBehind()
  }

  function keepRecent(added: FeedEvent[]): void {
    recent = [...recent, ...added]
    let size = recent.reduce((sum, { message }) => sum + message.length, 0)
    const maxBytes = maxRecentBytes()
    while (size > maxBytes || recent.length > MAX_RECENT) {
      const dropped = recent.shift()
      size -= dropped?.message.length ?? size
      recentAfter = dropped?.id ?? recentAfter
    }
  }

  /** Returns whether there are more events. */
  async function readPage(): Promise<boolean> {
    const after = position
    const page = await read({ after, limit, maxBytes: PAGE_BYTES })
    // Meanwhile, all subscribers have left, and one has joined at another position.
    if (position !== after) return true
    const { results, until, hasMore } = page
    limit = nextLimit(limit, page)
    position = until
    keepRecent(results)
    const cost = results.reduce((sum, { message }) => sum + message.length + MESSAGE_COST, 0)
    let turnBytes = 0
    for (const subscriber of [...subscribers]) {
      if (turnBytes > MAX_TURN_BYTES) {
        await nextTurn()
        turnBytes = 0
      }
      if (subscribers.has(subscriber)) send(subscriber, results)
      turnBytes += cost
    }
    return hasMore
  }

  async function readPages(): Promise<void> {
    while (subscribers.size > 0 && (await readPage()));
  }

  async function readAll(): Promise<void> {
    try {
      do {
        mustReadAgain = false
        // Always waits, even without subscribers, so that `reading` is set before it is reset below.
        await readPages()
      } while (mustReadAgain)
    } finally {
      reading = undefined
    }
  }

  return {
    join(subscriber) {
      if (subscribers.size === 0) {
        recent = []
        recentAfter = subscriber.position
        position = subscriber.position
      }
      if (subscriber.position < recentAfter) return false
      subscribers.add(subscriber)
      send(subscriber, recent)
      return true
    },
    leave: (subscriber) => void subscribers.delete(subscriber),
    readNew() {
      // Events that are written while a page is read may not be in it.
      mustReadAgain = true
      reading ??= readAll()
      return reading
    },
    endAll() {
      for (const subscriber of [...subscribers]) {
        subscribers.delete(subscriber)
        subscriber.onEnd()
      }
    },
    size: () => subscribers.size,
  }
}
