import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { digestSigner } from './digest-signer.ts'

test('it is the HMAC that Node itself makes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.string({ unit: 'binary' }),
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
      (key, before, texts) => {
        const sign = digestSigner(key, before)
        for (const text of texts) {
          const digest = createHash('sha256').update(text).digest('hex')
          const expected = createHmac('sha256', key)
            .update(before + digest)
            .digest('hex')
          assert.equal(sign(digest), expected)
        }
      },
    ),
  )
  assert.throws(() => digestSigner(new Uint8Array(65), ''))
})
