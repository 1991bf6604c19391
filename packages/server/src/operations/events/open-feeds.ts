import type { EventQuery } from '../../database/event-data.ts'
import type { Event } from '../../domain/event.ts'
import { limitConcurrency } from '../../iterables/limit-concurrency.ts'
import { type Context, forAccount } from '../context.ts'
import { createFeed, type Feed, type FeedEvent, type Subscriber } from './create-feed.ts'
import { readEvents } from './read-events.ts'

/** So few that most connections to the database stay free, even if many clients read older events at the same time. */
const MAX_CONCURRENT_READS = 3
const PAGE_LENGTH = 100
/** How much of a page is kept while a slow follower reads it, in characters. */
const MAX_HELD_LENGTH = 256 * 1024
const RETRY_MS = 1_000

/** A subscriber that first reads older events at its own speed. */
export interface Follower extends Subscriber {
  isClosed(): boolean
  /** Resolves when the events are sent. */
  sendOlder(events: FeedEvent[]): Promise<void>
}

export interface Feeds {
  /** Sends all events after the position of the follower: older ones now, and new ones until it leaves. */
  follow(accountId: string, follower: Follower): Promise<void>
  leave(accountId: string, follower: Follower): void
  close(): void
}

/** One feed for each account that has followers. */
export function openFeeds(context: Context, toText: (event: Event) => string): Feeds {
  const { database, warn } = context
  const toFeedEvent = (event: Event): FeedEvent => {
    const { id, type } = event
    return { id, type, text: toText(event) }
  }
  const feeds = new Map<string, Feed>()
  const inSlot = limitConcurrency(MAX_CONCURRENT_READS)
  let stopListening: (() => void) | undefined
  let retry: NodeJS.Timeout | undefined

  const readOf = (accountId: string) => (query: Omit<EventQuery, 'before'>) =>
    inSlot(() => readEvents(forAccount(context, accountId), query, toFeedEvent))

  function wake(accountId: string | undefined): void {
    const woken = accountId === undefined ? feeds.values() : [feeds.get(accountId)]
    for (const feed of woken) {
      feed?.readNew().catch((error: unknown) => {
        warn('could not read new events; retrying soon', error)
        retry ??= setTimeout(() => {
          retry = undefined
          wake(undefined)
        }, RETRY_MS).unref()
      })
    }
  }

  function feedOf(accountId: string): Feed {
    const feed = feeds.get(accountId) ?? createFeed(readOf(accountId))
    feeds.set(accountId, feed)
    stopListening ??= database.onEvents(wake)
    return feed
  }

  /** Sends older events until the follower can join the feed of new ones. */
  async function follow(accountId: string, follower: Follower): Promise<void> {
    const read = readOf(accountId)
    const types = follower.types && [...follower.types]
    let limit = PAGE_LENGTH
    while (!follower.isClosed()) {
      const page = await read({ after: follower.position, types, limit })
      const events = firstEvents(page.results)
      const isWhole = events.length === page.results.length
      const hasMore = page.hasMore || !isWhole
      limit = isWhole ? PAGE_LENGTH : events.length
      const until = isWhole ? page.until : (events.at(-1)?.id ?? page.until)
      await follower.sendOlder(events)
      follower.position = until
      if (hasMore || follower.isClosed()) continue
      const feed = feedOf(accountId)
      if (!feed.join(follower)) continue
      // The feed may have been woken up before it had a subscriber.
      wake(accountId)
      return
    }
  }

  /** The first events, up to and including the one that exceeds `MAX_HELD_LENGTH`. */
  function firstEvents(events: FeedEvent[]): FeedEvent[] {
    let length = 0
    const end = events.findIndex(({ text }) => {
      const isTooLong = length > MAX_HELD_LENGTH
      length += text.length
      return isTooLong
    })
    return end < 0 ? events : events.slice(0, end)
  }

  return {
    follow,
    leave(accountId, follower) {
      const feed = feeds.get(accountId)
      feed?.leave(follower)
      if (feed?.size() === 0) feeds.delete(accountId)
      if (feeds.size === 0) {
        stopListening?.()
        stopListening = undefined
      }
    },
    close() {
      feeds.clear()
      clearTimeout(retry)
      stopListening?.()
    },
  }
}
