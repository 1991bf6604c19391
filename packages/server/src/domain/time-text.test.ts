import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timeText } from './time-text.ts'

test('any time is written as the language itself writes it', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      assert.equal(timeText(date), date.toISOString())
    }),
  )
})

test('a time of our days is written as the language itself writes it', () => {
  const min = new Date('1999-12-31T23:59:59.999Z')
  const max = new Date('2101-01-01T00:00:00.000Z')
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      assert.equal(timeText(date), date.toISOString())
    }),
  )
})

test('what is no date is refused', () => {
  assert.throws(() => timeText(new Date(Number.NaN)), RangeError)
})
