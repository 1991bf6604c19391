import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BlockCounts, EMPTY_COUNTS } from './block-counts.ts'
import { openCountsCache } from './counts-cache.ts'

function someCounts(revision: number): BlockCounts {
  return { revision, block: 'f', matching: new Map([['', 1]]), total: 1 }
}

test('of two concurrent counts the cache keeps the newer one', () => {
  const cache = openCountsCache()
  cache.set('a', 'x', someCounts(2))
  cache.set('a', 'x', someCounts(1))
  assert.equal(cache.get('a', 'x').revision, 2)
  cache.set('a', 'x', someCounts(3))
  assert.equal(cache.get('a', 'x').revision, 3)
  assert.equal(cache.get('b', 'x'), EMPTY_COUNTS)
})

test('after a count fails, the next call counts again', async () => {
  const cache = openCountsCache()
  const fail = () => Promise.reject(new Error('unavailable'))
  await assert.rejects(cache.countOnce('a', 'x', fail), /unavailable/)
  let counts = 0
  const count = async () => {
    counts += 1
  }
  await Promise.all([cache.countOnce('a', 'x', count), cache.countOnce('a', 'x', count)])
  assert.equal(counts, 1)
})
