import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted } from './output.ts'

test('a count is followed by the singular only if it is one', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, 'asset')),
    ['0 assets', '1 asset', '2 assets'],
  )
  assert.equal(counted(1, 'delivery', 'deliveries'), '1 delivery')
  assert.equal(counted(2, 'delivery', 'deliveries'), '2 deliveries')
})
