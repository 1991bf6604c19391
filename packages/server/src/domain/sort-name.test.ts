import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sortName } from './sort-name.ts'

test('names are sorted by their numbers, and otherwise by their folded text', () => {
  const sorted = [
    'Track',
    'track 1.wav',
    'TRACK 2.wav',
    'track 10 b.wav',
    'track 10 c 9',
    'track 10 c 10',
    'track 99999999.wav',
    'track 100000000.wav',
    'track 12345678901234567890.wav',
    'track-1',
    'tracks',
  ]
  const keys = sorted.map(sortName)
  assert.deepEqual(keys.toSorted(), keys)
  assert.equal(sortName('file 007'), sortName('FILE 7'))
  assert.notEqual(sortName('file 0'), sortName('file '))
})

test('names that differ only in one number are sorted by the value of that number', () => {
  const number = fc.bigInt({ min: 0n, max: 10n ** 40n })
  fc.assert(
    fc.property(number, number, (one, other) => {
      const [a, b] = [sortName(`a ${one}.zip`), sortName(`a ${other}.zip`)]
      assert.equal(a < b, one < other)
      assert.equal(a === b, one === other)
    }),
  )
})
