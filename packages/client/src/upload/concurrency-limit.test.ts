import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'

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
