import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRetryPolicy, retryDelay, untilReached } from './retry-policy.ts'

test('delays double up to the longest one and vary by up to a half', () => {
  const options = { firstMs: 100, longestMs: 1000 }
  for (const [attempt, full] of [
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1000],
    [50, 1000],
  ] as const) {
    const delays = Array.from({ length: 100 }, () => retryDelay(attempt, options))
    assert.ok(Math.min(...delays) >= full / 2)
    assert.ok(Math.max(...delays) <= full)
    assert.ok(Math.max(...delays) - Math.min(...delays) > full / 10)
  }
})

test('a delay is at least as long as Retry-After, and never zero', () => {
  const options = { firstMs: 100, longestMs: 1000 }
  assert.equal(retryDelay(1, options, 5000), 5000)
  assert.ok(retryDelay(5, options, 0) >= 500)
})

test('the retry policy gives up after many failures over a long time, and starts over after a success', () => {
  const policy = createRetryPolicy({ giveUpAfterMs: -1 })
  const failure = new Error('no response')
  for (let count = 0; count < 8; count += 1) policy.failed(failure)
  policy.succeeded()
  for (let count = 0; count < 8; count += 1) policy.failed(failure)
  assert.throws(() => policy.failed(failure), failure)
})

test('five attempts to reach a service for the first time take less than two seconds', () => {
  for (const options of [{}, { longestMs: 60_000 }, { firstMs: 10_000 }]) {
    const delays = [1, 2, 3, 4].map((attempt) => retryDelay(attempt, untilReached(options)))
    assert.ok(delays.reduce((sum, delay) => sum + delay, 0) <= 1600)
  }
  assert.ok(retryDelay(4, untilReached({ firstMs: 1, longestMs: 5 })) <= 5)
})
