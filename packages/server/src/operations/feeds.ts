import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventQuery } from '../database/event-data.ts'
import { ServiceError } from '../domain/errors.ts'
import { type Event, type EventType, publicEventId } from '../domain/event.ts'
import { limitConcurrency, takeTurns } from '../iterables/concurrency.ts'
import { type Context, forAccount } from './context.ts'
import { type EventBatch, nextLimit, readEvents } from './events.ts'

/** So few that most connections to the database stay free, even if many clients read older events at the same time. */
const MAX_LIVE_READS = 2
const MAX_OLDER_READS = 2
/**
 * A page of older events is so small that its reader delays other requests only briefly, and that even a slow client
 * receives it before it is considered stalled.
 */
const OLDER_PAGE_BYTES = 64 * 1024
/** The last pages of older events. Several streams of an account often read the same events at the same time. */
const MAX_SHARED_PAGES = 32
const SHARED_MS = 2_000
/** The recent events of all feeds together, and of one feed. */
const MAX_RECENT_BYTES = 32_000_000
const MAX_RECENT_BYTES_OF_FEED = 1_000_000
const RETRY_MS = 1_000

/** A subscriber that first reads older events at its own speed. */
export interface Follower extends Subscriber {
  isClosed(): boolean
  /** Whether the next events can be sent: the client has received the previous ones, and memory is available. */
  isReady(): boolean
  /** Resolves when the follower is ready or closed. */
  untilReady(): Promise<void>
}

interface Feeds {
  /** Sends all events after the position of the follower: older ones now, and new ones until it leaves. */
  follow(accountId: string, follower: Follower): Promise<void>
  leave(accountId: string, follower: Follower): void
  close(): void
}

interface SharedPage extends EventBatch<FeedEvent> {
  after: number
  readAt: number
}

interface FeedsOptions {
  /** Creates the bytes of an event. */
  toMessage(event: Event): Buffer
  /**
   * Called while there are followers, when a session or key has ended, with its name (`endedCredential`), or with
   * undefined when any may have ended.
   */
  onEndedCredential(name: string | undefined): void
}

/** One feed for each account that has followers. */
export function openFeeds(context: Context, { toMessage, onEndedCredential }: FeedsOptions): Feeds {
  const { database, warn } = context
  const followers = new Set<Follower>()
  const toFeedEvent = (event: Event): FeedEvent => {
    const { id, type, createdAt } = event
    return { id: publicEventId(id, createdAt), type, message: toMessage(event) }
  }
  const feeds = new Map<string, Feed>()
  const pages = new Map<string, SharedPage>()
  const limits = new WeakMap<Follower, number>()
  const inSlot = limitConcurrency(MAX_LIVE_READS)
  const inTurn = takeTurns(MAX_OLDER_READS)
  let stopListening: (() => void) | undefined
  let retry: NodeJS.Timeout | undefined

  const read = (accountId: string, query: Omit<EventQuery, 'before'>) =>
    readEvents(forAccount(context, accountId), query, toFeedEvent)

  function wake(accountId: string | undefined): void {
    const woken = accountId === undefined ? feeds.values() : [feeds.get(accountId)]
    for (const feed of woken) {
      feed?.readNew().catch((error: unknown) => {
        if (error instanceof ServiceError) return feed.endAll()
        warn('could not read new events; retrying soon', error)
        retry ??= setTimeout(() => {
          retry = undefined
          wake(undefined)
        }, RETRY_MS).unref()
      })
    }
  }

  function listen(): () => void {
    const stops = [database.onEvents(wake), database.onEndedCredential(onEndedCredential)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  function feedOf(accountId: string): Feed {
    const feed =
      feeds.get(accountId) ??
      createFeed(
        (query) => inSlot(() => read(accountId, query)),
        () => Math.min(MAX_RECENT_BYTES_OF_FEED, MAX_RECENT_BYTES / feeds.size),
      )
    feeds.set(accountId, feed)
    return feed
  }

  /**
   * Sends older events until the follower can join the feed of new ones. Accounts take turns, and so do the followers of
   * an account. While a follower waits for its client or for its turn, it keeps no events in memory.
   */
  async function follow(accountId: string, follower: Follower): Promise<void> {
    if (follower.isClosed()) return
    followers.add(follower)
    stopListening ??= listen()
    while (!follower.isClosed()) {
      await follower.untilReady()
      if (await inTurn(accountId, () => catchUp(accountId, follower))) return
    }
  }

  /** Sends one page of older events. Returns whether the follower has joined the feed of new ones. */
  async function catchUp(accountId: string, follower: Follower): Promise<boolean> {
    // Other requests are served between two pages.
    await nextTurn()
    if (follower.isClosed() || !follower.isReady()) return false
    const { results, until, hasMore } = await readShared(accountId, follower)
    if (follower.isClosed()) return false
    const events = results.filter(({ id }) => id > follower.position)
    const sent = follower.send(events)
    if (sent < events.length) {
      follower.position = events[sent - 1]?.id ?? follower.position
      return false
    }
    follower.position = Math.max(follower.position, until)
    if (hasMore || !feedOf(accountId).join(follower)) return false
    // The feed may have been woken up before it had a subscriber.
    wake(accountId)
    return true
  }

  async function readShared(accountId: string, follower: Follower): Promise<EventBatch<FeedEvent>> {
    const { position: after } = follower
    const types: EventType[] | undefined = follower.types && [...follower.types]
    const key = `${accountId} ${types}`
    const shared = pages.get(key)
    const isShared = shared !== undefined && shared.after <= after && after < shared.until
    if (isShared && performance.now() - shared.readAt < SHARED_MS) return shared
    const limit = limits.get(follower) ?? nextLimit()
    const page = await read(accountId, { after, types, limit, maxBytes: OLDER_PAGE_BYTES })
    limits.set(follower, nextLimit(limit, page))
    pages.delete(key)
    // The last page is not complete: more events may be written.
    if (page.hasMore) pages.set(key, { ...page, after, readAt: performance.now() })
    for (const [oldest, { readAt }] of pages) {
      if (pages.size <= MAX_SHARED_PAGES && performance.now() - readAt < SHARED_MS) break
      pages.delete(oldest)
    }
    return page
  }

  return {
    follow,
    leave(accountId, follower) {
      const feed = feeds.get(accountId)
      feed?.leave(follower)
      if (feed?.size() === 0) feeds.delete(accountId)
      followers.delete(follower)
      if (followers.size === 0) {
        pages.clear()
        stopListening?.()
        stopListening = undefined
      }
    },
    close() {
      feeds.clear()
      pages.clear()
      clearTimeout(retry)
      stopListening?.()
    },
  }
}

/** An event as it is sent. Its bytes are created once, and shared by all subscribers. */
export interface FeedEvent {
  /** The public ID. */
  id: number
  type: EventType
  message: Buffer
}

interface Subscriber {
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

interface Feed {
  /** Adds the subscriber, and sends it the recent events after its position. False if it would miss events. */
  join(subscriber: Subscriber): boolean
  leave(subscriber: Subscriber): void
  /** Reads new events and sends them to all subscribers. */
  readNew(): Promise<void>
  /** Removes all subscribers and ends them: the database has been restored, and does not have their last event. */
  endAll(): void
  size(): number
}

interface FeedQuery {
  after: number
  limit: number
  maxBytes: number
}

/** How many events are kept for subscribers that join. */
const MAX_RECENT = 200
const NEW_PAGE_BYTES = 256 * 1024
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
    const page = await read({ after, limit, maxBytes: NEW_PAGE_BYTES })
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
