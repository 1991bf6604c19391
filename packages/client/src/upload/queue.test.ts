import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './concurrency-limit.ts'
import { createQueue, type Lane, type Slot } from './queue.ts'

interface TestLane extends Lane {
  name: string
  left: number
}

/** Lanes of so many parts each, and the slots that they were given, in their order. */
function lanesOf(parts: Record<string, number>, { partSize = 1, fileSize = 1 } = {}) {
  const started: { name: string; slot: Slot }[] = []
  const lanes = Object.entries(parts).map(([name, left]): TestLane => {
    const lane: TestLane = {
      name,
      left,
      fileSize,
      nextSize: () => (lane.left > 0 ? partSize : undefined),
      start(slot) {
        lane.left -= 1
        started.push({ name, slot })
      },
    }
    return lane
  })
  return { lanes, started, names: () => started.map(({ name }) => name).join('') }
}

test('four parts go at once, and the next as one of them arrives', () => {
  const queue = createQueue(createPace())
  const { lanes, started, names } = lanesOf({ a: 6 })
  for (const lane of lanes) queue.join(lane)
  assert.equal(names(), 'aaaa')
  started[2]?.slot.release('arrived')
  assert.equal(names(), 'aaaaa')
})

test('files take turns, however many parts each has', () => {
  const queue = createQueue(createPace(2))
  const { lanes, started, names } = lanesOf({ a: 100, b: 2, c: 3 })
  for (const lane of lanes) queue.join(lane)
  for (let index = 0; index < 8; index += 1) started[index]?.slot.release('arrived')
  assert.equal(names(), 'aaabcabcac')
})

test('a file that leaves takes its waiting parts with it', () => {
  const queue = createQueue(createPace(1))
  const { lanes, started, names } = lanesOf({ a: 5, b: 1 })
  for (const lane of lanes) queue.join(lane)
  queue.leave(lanes[0] as Lane)
  started[0]?.slot.release('stopped')
  assert.equal(names(), 'ab')
})

test('a part that is much of its file goes alone, and the next once only its answer is missing', () => {
  const queue = createQueue(createPace())
  const sizes = { partSize: 100_000_000, fileSize: 2_000_000_000 }
  const { lanes, started, names } = lanesOf({ a: 20 }, sizes)
  for (const lane of lanes) queue.join(lane)
  assert.equal(names(), 'a')
  started[0]?.slot.allSent()
  assert.equal(names(), 'aa')
  started[0]?.slot.release('arrived')
  assert.equal(names(), 'aa')
  for (const { slot } of started.slice(1)) slot.allSent()
  assert.equal(names(), 'aaa')
})

test('who asks for a number of parts gets it, however large they are', () => {
  const queue = createQueue(createPace(3))
  const sizes = { partSize: 100_000_000, fileSize: 2_000_000_000 }
  const { lanes, names } = lanesOf({ a: 20 }, sizes)
  for (const lane of lanes) queue.join(lane)
  assert.equal(names(), 'aaa')
})

test('eight files are under way, and one that waits can go away', async () => {
  const queue = createQueue(createPace())
  const { signal } = new AbortController()
  const leaves = await Promise.all(Array.from({ length: 8 }, () => queue.enter(signal)))
  const order: string[] = []
  const goingAway = new AbortController()
  const gone = queue.enter(goingAway.signal)
  const next = queue.enter(signal).then(() => order.push('next'))
  goingAway.abort(new Error('gone'))
  await assert.rejects(gone, /gone/)
  assert.deepEqual(order, [])
  leaves[0]?.()
  await next
  assert.deepEqual(order, ['next'])
})

test('after a failure, parts that are much of their file still go, one at a time', () => {
  const queue = createQueue(createPace())
  const sizes = { partSize: 100_000_000, fileSize: 2_000_000_000 }
  const { lanes, started, names } = lanesOf({ a: 20 }, sizes)
  for (const lane of lanes) queue.join(lane)
  started[0]?.slot.allSent()
  started[1]?.slot.release('failed')
  assert.equal(names(), 'aa')
  started[0]?.slot.release('arrived')
  assert.equal(names(), 'aaa')
})

test('who comes and is gone already takes nobody else’s turn', { timeout: 5_000 }, async () => {
  const queue = createQueue(createPace())
  const { signal } = new AbortController()
  const gone = queue.enter(AbortSignal.abort())
  const others = Array.from({ length: 8 }, () => queue.enter(signal))
  const leaveOfGone = await gone
  leaveOfGone()
  const leaves = await Promise.all(others)
  assert.equal(leaves.length, 8)
})
