import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationText } from './duration-text.ts'

test('a time that is left is told as coarsely as it is known', () => {
  const times = [0.2, 1, 59, 61, 3599, 3601, 5400, 86_400, 200_000].map(durationText)
  assert.deepEqual(times, [
    '1 s',
    '1 s',
    '59 s',
    '2 min',
    '60 min',
    '1 h 1 min',
    '1 h 30 min',
    '1 d',
    '2 d 8 h',
  ])
})
