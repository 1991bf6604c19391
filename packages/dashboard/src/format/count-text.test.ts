import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText } from './count-text.ts'

test('the noun is singular for one and plural for all other counts', () => {
  const counts = [0, 1, 2, 1_000_000].map((count) => countText(count, 'file'))
  assert.deepEqual(counts, ['0 files', '1 file', '2 files', '1,000,000 files'])
})
