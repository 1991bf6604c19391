import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addBlocks,
  type BlockCounts,
  EMPTY_COUNTS,
  isComplete,
  locatePage,
  openCountsCache,
} from './block-counts.ts'

test('counting a block again replaces its count, and earlier counts stay unchanged', () => {
  const blocks = [3, 4].map((matching, index) => ({
    first_id: `00${index}`,
    revision: 1,
    matching,
  }))
  const counts = addBlocks(EMPTY_COUNTS, blocks, { areAll: true })
  const changed = [{ first_id: '000', revision: 2, matching: 1 }]
  const later = addBlocks(counts, changed, { areAll: true })
  assert.deepEqual([later.total, later.revision, counts.total], [5, 2, 7])
})

test('counts are complete when no block remains to be counted', () => {
  const some = addBlocks(EMPTY_COUNTS, [{ first_id: 'a', revision: 1, matching: 1 }], {})
  assert.equal(isComplete(some), false)
  const all = addBlocks(some, [], { areAll: true })
  assert.equal(isComplete(all), true)
  assert.deepEqual([all.revision, all.total], [1, 1])
})

/** Blocks of these sizes. A row is named by its block and its index in the block. */
function aListing(sizes: number[]): { counts: BlockCounts; rows: string[] } {
  const blocks = sizes.map((matching, index) => ({
    first_id: nameOf(index),
    revision: 1,
    matching,
  }))
  const rows = sizes.flatMap((size, index) =>
    Array.from({ length: size }, (_, position) => `${nameOf(index)}/${position}`),
  )
  return { counts: addBlocks(EMPTY_COUNTS, blocks, { areAll: true }), rows }
}

function nameOf(index: number): string {
  return String(index).padStart(3, '0')
}

test('every page of any listing is found at its location', () => {
  const listings = fc.record({
    sizes: fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
    perPage: fc.integer({ min: 1, max: 25 }),
    descending: fc.boolean(),
  })
  fc.assert(
    fc.property(listings, ({ sizes, perPage, descending }) => {
      const { counts, rows } = aListing(sizes)
      const expected = descending ? rows.toReversed() : rows
      const seen: string[] = []
      for (let page = 1; ; page += 1) {
        const location = locatePage(counts, { page, perPage, descending })
        if (location === undefined) break
        const { from, until = '~', isFromEnd, offset, limit } = location
        const within = rows.filter((row) => row >= from && row < until)
        // At most one block of rows is skipped.
        assert.ok(offset <= Math.max(...sizes), `${offset} of ${sizes}`)
        const read = (isFromEnd ? within.toReversed() : within).slice(offset, offset + limit)
        seen.push(...(isFromEnd === descending ? read : read.toReversed()))
      }
      assert.deepEqual(seen, expected)
    }),
  )
})

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
