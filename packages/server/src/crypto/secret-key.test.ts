import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CannotOpenSecret, createSecretKey, sealedWith } from './secret-key.ts'

const KEY = createSecretKey(Buffer.alloc(32, 1).toString('base64'))

test('a sealed secret can only be opened unchanged, with the same key and in the same context', () => {
  const sealed = KEY.seal('whsec_ä', 'webhook 1 2')
  assert.ok(sealed.startsWith('sealed:') && !sealed.includes('whsec'))
  assert.deepEqual([sealedWith(sealed), sealedWith('whsec_ä')], [KEY.id, undefined])
  assert.equal(KEY.open(sealed, 'webhook 1 2'), 'whsec_ä')
  assert.notEqual(KEY.seal('whsec_ä', 'webhook 1 2'), sealed)
  const other = createSecretKey(Buffer.alloc(32, 2).toString('base64'))
  assert.notEqual(other.id, KEY.id)
  assert.throws(() => other.open(sealed, 'webhook 1 2'), CannotOpenSecret)
  assert.throws(() => KEY.open(sealed, 'webhook 1 3'), CannotOpenSecret)
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(':') + 1), 'base64')
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed[index] = (bytes[index] ?? 0) ^ 1
    const text = `sealed:${KEY.id}:${changed.toString('base64')}`
    assert.throws(() => KEY.open(text, 'webhook 1 2'), CannotOpenSecret, `byte ${index}`)
  }
  for (const text of ['sealed:', 'sealed:a:', `sealed:${KEY.id}:AAAA`, 'whsec_plain']) {
    assert.throws(() => KEY.open(text, 'webhook 1 2'), CannotOpenSecret, text)
  }
})

test('a key that does not have 32 bytes is refused', () => {
  assert.throws(() => createSecretKey(Buffer.alloc(31).toString('base64')))
})
