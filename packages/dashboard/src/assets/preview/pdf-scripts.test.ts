import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { hasScripts } from './pdf-scripts.ts'

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
