import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttemptAt, RETRY_DELAYS_MS } from './next-attempt.ts'

const NOW = new Date('2026-01-31T12:00:00.000Z')
const HOUR = 3600

function secondsUntil(failures: number, retryAfter: string | null = null): number | undefined {
  const at = nextAttemptAt(NOW, failures, retryAfter)
  return at && (at.getTime() - NOW.getTime()) / 1000
}

test('retries follow the schedule of Standard Webhooks, and end', () => {
  assert.deepEqual(
    Array.from({ length: 10 }, (_, index) => secondsUntil(index + 1)),
    [5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR, undefined],
  )
  assert.equal(RETRY_DELAYS_MS.length, 9)
})

test('Retry-After postpones an attempt, never advances it, and is limited to a day', () => {
  assert.equal(secondsUntil(1, '60'), 60)
  assert.equal(secondsUntil(1, ' 60 '), 60)
  assert.equal(secondsUntil(2, '60'), 300)
  assert.equal(secondsUntil(1, 'Sat, 31 Jan 2026 12:10:00 GMT'), 600)
  assert.equal(secondsUntil(1, 'Sat, 31 Jan 2026 11:00:00 GMT'), 5)
  assert.equal(secondsUntil(1, '99999999999999999999'), 24 * HOUR)
  assert.equal(secondsUntil(1, 'Fri, 31 Dec 9999 23:59:59 GMT'), 24 * HOUR)
  for (const text of ['', 'soon', '-5', '1e3', '12 hours']) assert.equal(secondsUntil(1, text), 5)
  assert.equal(secondsUntil(10, '60'), undefined)
})
