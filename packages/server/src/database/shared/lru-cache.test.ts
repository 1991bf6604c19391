import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLruCache } from './lru-cache.ts'

/** At least 100 times the fixed overhead of an entry. */
const LARGE = 30_000

function aCache(values: number) {
  const cache = openLruCache<{ count: number }>({
    maxBytes: (values + 0.5) * LARGE,
    bytesOf: ({ count }) => count * LARGE,
  })
  return {
    get: (key: string) => cache.get(key)?.count,
    set: (key: string, count: number) => cache.set(key, { count }),
  }
}

test('the least recently used entry is evicted when the cache is full', () => {
  const cache = aCache(5)
  cache.set('a', 2)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 2)
  assert.deepEqual(['a', 'b', 'c'].map(cache.get), [2, undefined, 2])
  cache.set('c', 1)
  cache.set('d', 2)
  assert.deepEqual(['a', 'c', 'd'].map(cache.get), [2, 1, 2])
})

test('a value larger than the whole cache is not stored', () => {
  const cache = aCache(5)
  cache.set('a', 6)
  assert.equal(cache.get('a'), undefined)
})

test('keys count toward the size limit', () => {
  const cache = aCache(5)
  const keys = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(9000)}`)
  for (const key of keys) cache.set(key, 0)
  const kept = keys.filter((key) => cache.get(key) !== undefined)
  assert.ok(kept.length > 0 && kept.length * 9000 < 5.5 * LARGE, `${kept.length} kept`)
})
