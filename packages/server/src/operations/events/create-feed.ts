import type { EventType } from '../../domain/event.ts'
import type { EventBatch } from './read-events.ts'

/** An event as it is sent. Its text is created once for all subscribers. */
export interface FeedEvent {
  id: number
  type: EventType
  text: string
}

export interface Subscriber {
  /** Undefined: all types. */
  types: ReadonlySet<EventType> | undefined
  /** The subscriber has received all events up to this ID. */
  position: number
  /** Receives new events in order, each once. Must not block. Returns how many events were accepted. */
  send(events: FeedEvent[]): number
  /** Called if `send` has not accepted all events. The subscriber has then left the feed. */
  onBehind(): void
}

export interface Feed {
  /** Adds the subscriber, and sends it the recent events after its position. False if it would miss events. */
  join(subscriber: Subscriber): boolean
  leave(subscriber: Subscriber): void
  /** Reads new events and sends them to all subscribers. */
  readNew(): Promise<void>
  size(): number
}

/** How many events, and how many of their characters, are kept for subscribers that join. */
const MAX_RECENT = 200
const MAX_RECENT_LENGTH = 1_000_000
const PAGE_LENGTH = 100

/** The new events of one account. Each is read once for all subscribers. */
export function createFeed(
  read: (query: { after: number; limit: number }) => Promise<EventBatch<FeedEvent>>,
): Feed {
  const subscribers = new Set<Subscriber>()
  let recent: FeedEvent[] = []
  /** All events up to this ID have been read. */
  let position = 0
  let reading: Promise<void> | undefined
  let mustReadAgain = false

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
    recent = [...recent, ...added].slice(-MAX_RECENT)
    let length = recent.reduce((sum, { text }) => sum + text.length, 0)
    while (length > MAX_RECENT_LENGTH) length -= recent.shift()?.text.length ?? length
  }

  async function readPages(): Promise<void> {
    while (subscribers.size > 0) {
      const { results, until, hasMore } = await read({ after: position, limit: PAGE_LENGTH })
      position = until
      keepRecent(results)
      for (const subscriber of [...subscribers]) send(subscriber, results)
      if (!hasMore) return
    }
  }

  async function readAll(): Promise<void> {
    try {
      do {
        mustReadAgain = false
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
        position = subscriber.position
      }
      const start = (recent[0]?.id ?? position + 1) - 1
      if (subscriber.position < start) return false
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
    size: () => subscribers.size,
  }
}
