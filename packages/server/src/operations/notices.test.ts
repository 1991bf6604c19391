import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDistinctCount } from './notices.ts'

test('different texts are counted exactly up to the maximum, and within 5 % above it', () => {
  const counted = openDistinctCount(10_000)
  const add = (begin: number, end: number) => {
    for (let at = begin; at < end; at += 1) counted.add(`buyer${at}@example.com`)
  }
  assert.equal(counted.count(), 0)
  add(0, 10_000)
  add(5_000, 10_000)
  assert.equal(counted.count(), 10_000)
  add(0, 40_000)
  const estimate = counted.count()
  add(0, 40_000)
  assert.equal(counted.count(), estimate)
  assert.ok(Math.abs(estimate - 40_000) < 2_000, `${estimate}`)
})
