import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countReceived } from './received-parts.ts'

const UPLOAD = { asset: { bytes: 25 }, chunkSize: 10 }

test('parts count as received if their length fits the size of the file', () => {
  assert.deepEqual(countReceived(UPLOAD, []), { parts: 0, bytes: 0 })
  const stored = [
    { number: 1, size: 10 },
    { number: 2, size: 4 },
    { number: 3, size: 5 },
    { number: 4, size: 10 },
  ]
  assert.deepEqual(countReceived(UPLOAD, stored), { parts: 2, bytes: 15 })
  const empty = { asset: { bytes: 0 }, chunkSize: 10 }
  assert.deepEqual(countReceived(empty, [{ number: 1, size: 0 }]), { parts: 1, bytes: 0 })
})
