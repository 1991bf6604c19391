import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countText, sizeText } from './size-text.ts'

test('a size has a decimal unit and three digits at the most', () => {
  const sizes = [0, 999, 1000, 1500, 999_499, 999_500, 250_000_000, 1_234_567_890, 1e12, 5e18]
  assert.deepEqual(sizes.map(sizeText), [
    '0 B',
    '999 B',
    '1 kB',
    '1.5 kB',
    '999 kB',
    '1 MB',
    '250 MB',
    '1.23 GB',
    '1 TB',
    '5,000 PB',
  ])
})

test('one file, two files', () => {
  const counts = [0, 1, 2, 1_000_000].map((count) => countText(count, 'file'))
  assert.deepEqual(counts, ['0 files', '1 file', '2 files', '1,000,000 files'])
})
