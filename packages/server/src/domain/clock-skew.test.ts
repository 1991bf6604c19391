import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skewText } from './clock-skew.ts'

test('a wrong clock is described, but not one that is close enough', () => {
  assert.equal(skewText(0), undefined)
  assert.equal(skewText(-30_000), undefined)
  assert.equal(skewText(3_600_400), '3600 s ahead of the database’s')
  assert.equal(skewText(-31_000), '31 s behind the database’s')
})
