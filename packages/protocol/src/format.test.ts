import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDuration, formatSize, formatTimestamp, parseDuration, parseSize } from './format.ts'

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

test('a duration is parsed from a whole number and a unit', () => {
  assert.deepEqual(
    ['90s', '30m', '12h', '7d', ' 1 h '].map(parseDuration),
    [90_000, 1_800_000, 43_200_000, 604_800_000, 3_600_000],
  )
  for (const text of ['', '5', 'h', '1.5h', '-1h', '1w', '1h30m']) {
    assert.equal(parseDuration(text), undefined, text)
  }
})

test('a duration is formatted in one unit', () => {
  const times = [0, 200, 45_400, 119_000, 5_400_000, 43_200_000, 604_800_000]
  assert.deepEqual(times.map(formatDuration), [
    '0 s',
    '1 s',
    '45 s',
    '119 s',
    '90 min',
    '12 h',
    '7 d',
  ])
})

test('every date is formatted like toISOString', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      assert.equal(formatTimestamp(date), date.toISOString())
    }),
  )
})

test('a date in this century, as in almost every row, is formatted like toISOString', () => {
  const min = new Date('1999-12-31T23:59:59.999Z')
  const max = new Date('2101-01-01T00:00:00.000Z')
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      assert.equal(formatTimestamp(date), date.toISOString())
    }),
  )
})

test('an invalid date throws', () => {
  assert.throws(() => formatTimestamp(new Date(Number.NaN)), RangeError)
})
