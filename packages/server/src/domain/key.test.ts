import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesScope, KEY_SCOPES } from './key.ts'

test('write includes read, and manage includes both', () => {
  const table = KEY_SCOPES.map((granted) =>
    KEY_SCOPES.map((needed) => includesScope(granted, needed)),
  )
  assert.deepEqual(KEY_SCOPES, ['read', 'write', 'manage'])
  assert.deepEqual(table, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})
