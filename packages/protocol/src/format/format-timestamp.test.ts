import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatTimestamp } from './format-timestamp.ts'

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
