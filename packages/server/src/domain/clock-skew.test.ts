import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skewText } from './clock-skew.ts'

test('a clock is described as wrong only if the difference is large', () => {
  assert.equal(skewText(0), undefined)
  assert.equal(skewText(-30_000), undefined)
  assert.equal(skewText(3_600_400), '3600 s ahead of the database’s')
  assert.equal(skewText(-31_000), '31 s behind the database’s')
})
