import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText } from './count-text.ts'

test('a count is written with a singular or plural noun', () => {
  const counts = [0, 1, 2, 1_000_000].map((count) => countText(count, 'file'))
  assert.deepEqual(counts, ['0 files', '1 file', '2 files', '1,000,000 files'])
})
