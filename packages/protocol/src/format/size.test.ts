import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSize, parseSize } from './size.ts'

test('a size has a decimal unit and at most one decimal place', () => {
  const expected: [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [1_234_567, '1.2 MB'],
    [1_500_000, '1.5 MB'],
    [250_000_000, '250 MB'],
    [999_949, '999.9 kB'],
    [999_950, '1 MB'],
    [1_000_000_000_000, '1 TB'],
    [Number.MAX_SAFE_INTEGER, '9 PB'],
  ]
  for (const [bytes, text] of expected) assert.equal(formatSize(bytes), text)
})

test('a size is parsed with or without a unit', () => {
  const expected: [string, number | undefined][] = [
    ['1TB', 1_000_000_000_000],
    ['1.5 GB', 1_500_000_000],
    ['512MiB', 536_870_912],
    ['100', 100],
    ['10mb', 10_000_000],
    ['1.5', undefined],
    ['0.1 B', undefined],
    ['-1', undefined],
    ['1XB', undefined],
    ['', undefined],
    ['GB', undefined],
    ['99999999PB', undefined],
  ]
  for (const [text, bytes] of expected) assert.equal(parseSize(text), bytes, text)
})
