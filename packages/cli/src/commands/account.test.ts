import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountMeter } from './account.ts'

const meter = (storage: number, stored: number, reserved: number) =>
  accountMeter({ plan: { storage }, stored, reserved }, 10)

test('the bar shows stored, reserved and free storage', () => {
  assert.equal(meter(100, 50, 20), '█████▒▒░░░')
  assert.equal(meter(100, 0, 0), '░░░░░░░░░░')
})

test('a small amount is visible, and usage above the plan does not overflow the bar', () => {
  assert.equal(meter(1e12, 1, 1), '█▒░░░░░░░░')
  assert.equal(meter(100, 250, 10), '██████████')
  assert.equal(meter(0, 0, 0), '░░░░░░░░░░')
  assert.equal(meter(0, 5, 0), '██████████')
})
