import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolateRightToLeft, sanitize } from './sanitize.ts'

test('escape sequences and line breaks are shown, not interpreted', () => {
  assert.equal(sanitize('\u001b[2Jgone.zip'), '␛[2Jgone.zip')
  assert.equal(sanitize('a\nb\tc\rd\u007f'), 'a␊b␉c␍d␡')
  assert.equal(sanitize('csi \u009b31m'), 'csi \ufffd31m')
})

test('characters that change the text direction are replaced', () => {
  assert.equal(sanitize('invoice\u202efdp.exe'), 'invoice\ufffdfdp.exe')
  assert.equal(sanitize('\u2067x\u2069'), '\ufffdx\ufffd')
})

test('a lone surrogate is replaced', () => {
  assert.equal(sanitize('a\ud800b'), 'a\ufffdb')
})

test('names in any script are unchanged', () => {
  for (const name of ['naïve.pdf', 'サンプル.wav', 'שלום.zip', 'क्षि.txt', '👩‍👩‍👧.png']) {
    assert.equal(sanitize(name), name)
  }
})

test('only right-to-left text is isolated', () => {
  assert.equal(isolateRightToLeft('مرحبا.zip'), '\u2068مرحبا.zip\u2069')
  assert.equal(isolateRightToLeft('plain.zip'), 'plain.zip')
})
