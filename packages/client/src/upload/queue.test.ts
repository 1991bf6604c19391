import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  createQueue,
  type QueuedFile,
  type Slot,
} from './queue.ts'

interface TestFile extends QueuedFile {
  name: string
  remaining: number
}

/** Files with the given numbers of parts, and the slots they receive, in order. */
function filesOf(counts: Record<string, number>, { partSize = 1, fileSize = 1 } = {}) {
  const started: { name: string; slot: Slot }[] = []
  const files = Object.entries(counts).map(([name, parts]): TestFile => {
    const file: TestFile = {
      name,
      remaining: parts,
      fileSize,
      nextSize: () => (file.remaining > 0 ? partSize : undefined),
      start(slot) {
        file.remaining -= 1
        started.push({ name, slot })
      },
    }
    return file
  })
  return { files, started, names: () => started.map(({ name }) => name).join('') }
}

test('four parts are sent at the same time, and the next one starts when one of them is stored', () => {
  const queue = createQueue(createConcurrencyLimit())
  const { files, started, names } = filesOf({ a: 6 })
  for (const file of files) queue.join(file)
  assert.equal(names(), 'aaaa')
  started[2]?.slot.release('stored')
  assert.equal(names(), 'aaaaa')
})

test('files take turns, however many parts each has', () => {
  const queue = createQueue(createConcurrencyLimit(2))
  const { files, started, names } = filesOf({ a: 100, b: 2, c: 3 })
  for (const file of files) queue.join(file)
  for (let index = 0; index < 8; index += 1) started[index]?.slot.release('stored')
  assert.equal(names(), 'aaabcabcac')
})

test('when a file leaves the queue, its waiting parts are not sent', () => {
  const queue = createQueue(createConcurrencyLimit(1))
  const { files, started, names } = filesOf({ a: 5, b: 1 })
  for (const file of files) queue.join(file)
  queue.leave(files[0] as QueuedFile)
  started[0]?.slot.release('stopped')
  assert.equal(names(), 'ab')
})

test('a part that is large compared to its file is sent alone; the next one starts once all of its bytes are sent', () => {
  const queue = createQueue(createConcurrencyLimit())
  const sizes = { partSize: 100_000_000, fileSize: 2_000_000_000 }
  const { files, started, names } = filesOf({ a: 20 }, sizes)
  for (const file of files) queue.join(file)
  assert.equal(names(), 'a')
  started[0]?.slot.allSent()
  assert.equal(names(), 'aa')
  started[0]?.slot.release('stored')
  assert.equal(names(), 'aa')
  for (const { slot } of started.slice(1)) slot.allSent()
  assert.equal(names(), 'aaa')
})

test('a fixed limit applies whatever the size of the parts', () => {
  const queue = createQueue(createConcurrencyLimit(3))
  const sizes = { partSize: 100_000_000, fileSize: 2_000_000_000 }
  const { files, names } = filesOf({ a: 20 }, sizes)
  for (const file of files) queue.join(file)
  assert.equal(names(), 'aaa')
})

test('eight files are sent at the same time, and a waiting one can be aborted', async () => {
  const queue = createQueue(createConcurrencyLimit())
  const { signal } = new AbortController()
  const leaves = await Promise.all(Array.from({ length: 8 }, () => queue.enter(signal)))
  const order: string[] = []
  const controller = new AbortController()
  const aborted = queue.enter(controller.signal)
  const next = queue.enter(signal).then(() => order.push('next'))
  controller.abort(new Error('aborted'))
  await assert.rejects(aborted, /aborted/)
  assert.deepEqual(order, [])
  leaves[0]?.()
  await next
  assert.deepEqual(order, ['next'])
})

test('after a failure, parts that are large compared to their file are sent one at a time', () => {
  const queue = createQueue(createConcurrencyLimit())
  const sizes = { partSize: 100_000_000, fileSize: 2_000_000_000 }
  const { files, started, names } = filesOf({ a: 20 }, sizes)
  for (const file of files) queue.join(file)
  started[0]?.slot.allSent()
  started[1]?.slot.release('failed')
  assert.equal(names(), 'aa')
  started[0]?.slot.release('stored')
  assert.equal(names(), 'aaa')
})

test('a file that is aborted before it enters the queue does not use up a slot', {
  timeout: 60_000,
}, async () => {
  const queue = createQueue(createConcurrencyLimit())
  const { signal } = new AbortController()
  const aborted = queue.enter(AbortSignal.abort())
  const others = Array.from({ length: 8 }, () => queue.enter(signal))
  const leave = await aborted
  leave()
  const leaves = await Promise.all(others)
  assert.equal(leaves.length, 8)
})

/** A limit with its own clock, which advances as bytes are sent. */
function aLimit(fixed?: number) {
  let now = 0
  const limit = createConcurrencyLimit(fixed, () => now)
  /** Simulates a connection whose rate depends on the number of parts in transit. */
  function run(seconds: number, rateOf: (parts: number) => number): void {
    for (let step = 0; step < seconds * 10; step += 1) {
      now += 100
      limit.sent(rateOf(limit.current()) / 10, true)
    }
  }
  return { limit, run }
}

function succeedOften(limit: ConcurrencyLimit): void {
  for (let count = 0; count < 20; count += 1) limit.succeeded()
}

test('the limit rises to twelve on a connection that is faster with more parts', () => {
  const { limit, run } = aLimit()
  assert.equal(limit.current(), 4)
  run(30, (parts) => parts * 1e6)
  assert.equal(limit.current(), 12)
})

test('the limit stays at four if more parts are not faster, and increases are tried less and less often', () => {
  const { limit, run } = aLimit()
  let triedSeconds = 0
  for (let second = 0; second < 600; second += 1) {
    run(1, () => 10e6)
    if (limit.current() > 4) triedSeconds += 1
  }
  assert.ok(triedSeconds > 0 && triedSeconds < 40, `${triedSeconds} s of 600`)
})

test('failures halve the limit, simultaneous ones only once, and it recovers as parts succeed', () => {
  const { limit, run } = aLimit()
  run(1, () => 1)
  limit.failed()
  limit.failed()
  limit.failed()
  assert.equal(limit.current(), 2)
  run(5, () => 1)
  limit.failed()
  assert.equal(limit.current(), 1)
  succeedOften(limit)
  assert.equal(limit.current(), 1)
  run(5, () => 1)
  succeedOften(limit)
  assert.equal(limit.current(), 4)
})

test('a fixed limit is not exceeded', () => {
  const { limit, run } = aLimit(2)
  run(60, (parts) => parts * 1e6)
  assert.equal(limit.current(), 2)
})

test('a large part counts for more if it is also a large share of its file', () => {
  const { limit } = aLimit()
  assert.equal(limit.weigh(5_000_000, 5_000_000), 1)
  assert.equal(limit.weigh(8_000_000, 100_000_000), 1)
  assert.equal(limit.weigh(100_000_000, 2_000_000_000), 3)
  assert.equal(limit.weigh(100_000_000, 40_000_000_000), 1)
})
