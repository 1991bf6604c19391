import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { hmacOf } from './hmac.ts'

test('the HMAC equals that of Node', () => {
  const message = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2000 }),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 130 }),
      fc.array(message, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('hex' as const, 'base64url' as const),
      (key, messages, encoding) => {
        const hmac = hmacOf(key)
        for (const text of messages) {
          const expected = createHmac('sha256', key).update(text).digest(encoding)
          assert.equal(hmac(text, encoding), expected)
        }
      },
    ),
  )
})
