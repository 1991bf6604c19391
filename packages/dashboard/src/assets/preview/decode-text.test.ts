import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from './decode-text.ts'

test('UTF-8, UTF-16 with a byte order mark and text with one byte per character are decoded', () => {
  assert.equal(decodeText(new TextEncoder().encode('Grüße 日本')), 'Grüße 日本')
  assert.equal(decodeText(new Uint8Array([0xff, 0xfe, 0x41, 0, 0xfc, 0])), 'Aü')
  assert.equal(decodeText(new Uint8Array([0x47, 0x72, 0xfc, 0xdf])), 'Grüß')
})

test('a character that is incomplete at the end is omitted, and binary data is not text', () => {
  const bytes = new TextEncoder().encode('Preis: 5 €')
  assert.equal(decodeText(bytes.subarray(0, -1)), 'Preis: 5 ')
  assert.equal(decodeText(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0])), undefined)
})
