import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBlocks, EMPTY_COUNTS, isComplete } from './block-counts.ts'

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
