import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, parseDuration } from './duration.ts'

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
