import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText, shareText } from './format.ts'

test('a count is written with a singular or plural noun', () => {
  const counts = [0, 1, 2, 1_000_000].map((count) => countText(count, 'file'))
  assert.deepEqual(counts, ['0 files', '1 file', '2 files', '1,000,000 files'])
})

test('a share is a whole percentage that is never rounded down to 0% or up to 100%', () => {
  const shares = [0, 1, 10, 424, 995, 999, 1000, 1500].map((part) => shareText(part, 1000))
  assert.deepEqual(shares, ['0%', '< 1%', '1%', '42%', '> 99%', '> 99%', '100%', '150%'])
  assert.equal(shareText(0, 0), '0%')
})
