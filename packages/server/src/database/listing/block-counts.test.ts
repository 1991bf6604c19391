import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addToTally, EMPTY_TALLY, isComplete, placeOf, type Tally } from './block-counts.ts'

/** Blocks with so many rows each; a row is the number of its block and its place there. */
function aListing(sizes: number[]): { tally: Tally; rows: string[] } {
  const blocks = sizes.map((matching, index) => ({
    first_id: nameOf(index),
    revision: 1,
    matching,
  }))
  const rows = sizes.flatMap((size, index) =>
    Array.from({ length: size }, (_, place) => `${nameOf(index)}/${place}`),
  )
  return { tally: addToTally(EMPTY_TALLY, blocks, { areAll: true }), rows }
}

function nameOf(index: number): string {
  return String(index).padStart(3, '0')
}

test('for any blocks, every page is where its place says', () => {
  const listings = fc.record({
    sizes: fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
    perPage: fc.integer({ min: 1, max: 25 }),
    descending: fc.boolean(),
  })
  fc.assert(
    fc.property(listings, ({ sizes, perPage, descending }) => {
      const { tally, rows } = aListing(sizes)
      const expected = descending ? rows.toReversed() : rows
      const seen: string[] = []
      for (let page = 1; ; page += 1) {
        const place = placeOf(tally, { page, perPage, descending })
        if (place === undefined) break
        const { from, until = '~', isFromEnd, offset, limit } = place
        const within = rows.filter((row) => row >= from && row < until)
        // However the blocks are cut, few rows beside those of the page are looked at.
        assert.ok(offset <= Math.max(...sizes), `${offset} of ${sizes}`)
        const read = (isFromEnd ? within.toReversed() : within).slice(offset, offset + limit)
        seen.push(...(isFromEnd === descending ? read : read.toReversed()))
      }
      assert.deepEqual(seen, expected)
    }),
  )
})

test('a block that is counted again replaces what it had, in a tally of its own', () => {
  const { tally } = aListing([3, 4])
  const changed = [{ first_id: '000', revision: 2, matching: 1 }]
  const later = addToTally(tally, changed, { areAll: true })
  assert.deepEqual([later.total, later.revision, tally.total], [5, 2, 7])
})

test('a tally is complete once nothing is left to count', () => {
  const some = addToTally(EMPTY_TALLY, [{ first_id: 'a', revision: 1, matching: 1 }], {})
  assert.equal(isComplete(some), false)
  const all = addToTally(some, [], { areAll: true })
  assert.equal(isComplete(all), true)
  assert.deepEqual([all.revision, all.total], [1, 1])
})
