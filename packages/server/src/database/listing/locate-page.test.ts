import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addBlocks, type BlockCounts, EMPTY_COUNTS } from './block-counts.ts'
import { locatePage } from './locate-page.ts'

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
