import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseByteRange } from './byte-range.ts'

test('Range headers are parsed as RFC 9110 specifies', () => {
  const expected: [string | undefined, number, ReturnType<typeof parseByteRange>][] = [
    [undefined, 10, 'whole'],
    ['bytes=0-4', 10, { start: 0, end: 5 }],
    ['bytes=4-4', 10, { start: 4, end: 5 }],
    ['bytes=5-', 10, { start: 5, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-30', 10, { start: 0, end: 10 }],
    ['bytes=5-300', 10, { start: 5, end: 10 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-0', 0, 'unsatisfiable'],
    ['bytes=5-4', 10, 'whole'],
    ['bytes=-', 10, 'whole'],
    ['bytes=0-1,4-5', 10, 'whole'],
    ['lines=0-1', 10, 'whole'],
    ['bytes=a-b', 10, 'whole'],
  ]
  for (const [header, size, range] of expected) {
    assert.deepEqual(parseByteRange(header, size), range, header)
  }
})
