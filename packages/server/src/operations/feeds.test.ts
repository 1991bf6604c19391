import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventBatch } from './events.ts'
import { createFeed, type FeedEvent } from './feeds.ts'

/** A feed of events that exist only as numbers. */
function aFeed() {
  let lastId = 0
  let reads = 0
  async function read(query: { after: number; limit: number }): Promise<EventBatch<FeedEvent>> {
    const { after, limit } = query
    reads += 1
    const ids = Array.from({ length: lastId - after }, (_, index) => after + index + 1)
    const results = ids.slice(0, limit).map((id) => {
      return { id, type: 'asset.ready', message: Buffer.from(`${id}`) } as const
    })
    return { results, until: results.at(-1)?.id ?? lastId, hasMore: ids.length > limit }
  }
  return {
    feed: createFeed(read, () => 1_000_000),
    reads: () => reads,
    record: (count: number) => {
      lastId += count
    },
  }
}

function aSubscriber(position: number, capacity = Number.POSITIVE_INFINITY) {
  const got: number[] = []
  const subscriber = {
    types: undefined,
    position,
    behind: 0,
    got,
    send(events: { id: number }[]) {
      const accepted = events.slice(0, capacity - got.length)
      got.push(...accepted.map(({ id }) => id))
      return accepted.length
    },
    onBehind() {
      subscriber.behind += 1
    },
    isEnded: false,
    onEnd() {
      subscriber.isEnded = true
    },
  }
  return subscriber
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test('each event is read once for all subscribers, and a subscriber that joins later gets the recent events', async () => {
  const { feed, reads, record } = aFeed()
  const subscribers = [aSubscriber(0), aSubscriber(0), aSubscriber(0)]
  for (const subscriber of subscribers) assert.ok(feed.join(subscriber))
  record(5)
  await Promise.all([feed.readNew(), feed.readNew(), feed.readNew()])
  assert.ok(reads() <= 2, `${reads()}`)
  const late = aSubscriber(3)
  assert.ok(feed.join(late))
  assert.deepEqual(late.got, [4, 5])
  record(300)
  await feed.readNew()
  for (const { got } of subscribers) assert.deepEqual(got, upTo(305))
  assert.deepEqual([feed.join(aSubscriber(5)), feed.join(aSubscriber(200))], [false, true])
})

test('a subscriber that does not accept all events is removed from the feed, and can join again at its position', async () => {
  const { feed, record } = aFeed()
  const slow = aSubscriber(0, 3)
  const fast = aSubscriber(0)
  assert.ok(feed.join(slow))
  assert.ok(feed.join(fast))
  record(5)
  await feed.readNew()
  assert.deepEqual([slow.got, slow.position, slow.behind, feed.size()], [[1, 2, 3], 3, 1, 1])
  const again = aSubscriber(slow.position)
  assert.ok(feed.join(again))
  record(1)
  await feed.readNew()
  assert.deepEqual([again.got, fast.got], [[4, 5, 6], upTo(6)])
  feed.endAll()
  assert.deepEqual([fast.isEnded, again.isEnded, slow.isEnded], [true, true, false])
  assert.equal(feed.size(), 0)
})

test('a feed that was woken up without subscribers still sends events to those that join later', async () => {
  const { feed, record } = aFeed()
  await feed.readNew()
  const subscriber = aSubscriber(0)
  assert.ok(feed.join(subscriber))
  record(2)
  await feed.readNew()
  assert.deepEqual(subscriber.got, [1, 2])
})
