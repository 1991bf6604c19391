import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { decodeText, hasScripts } from './preview-content.ts'

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

const ACTION = '4 0 obj<</S/JavaScript/JS(app.alert\\(1\\))>>endobj'

function aPdf(...parts: (string | Buffer)[]): Uint8Array<ArrayBuffer> {
  const bytes = parts.map((part) => Buffer.from(part as string, 'latin1'))
  return new Uint8Array(Buffer.concat([Buffer.from('%PDF-1.7\n'), ...bytes]))
}

function aStream(content: string): (string | Buffer)[] {
  return ['<</Type/ObjStm/Filter/FlateDecode>>stream\n', deflateSync(content), '\nendstream\n']
}

test('scripts are found in plain text, with escaped names and in compressed objects, and encryption counts as a script', async () => {
  const words = 'word '.repeat(100_000)
  assert.equal(await hasScripts(aPdf(ACTION)), true)
  assert.equal(await hasScripts(aPdf('<</S/J#61va#53cript/JS 5 0 R>>')), true)
  assert.equal(await hasScripts(aPdf(...aStream('text'), ...aStream(words + ACTION))), true)
  assert.equal(await hasScripts(aPdf('trailer<</Root 1 0 R/Encrypt 9 0 R>>')), true)
})

test('no scripts are found in a PDF that has none', async () => {
  const pdf = aPdf(
    '1 0 obj<</Type/Catalog>>endobj',
    ...aStream('1 0 obj'),
    'stream\nxyz',
    'stream\n',
  )
  assert.equal(await hasScripts(pdf), false)
  assert.equal(await hasScripts(aPdf()), false)
})
