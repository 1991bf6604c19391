import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolated, plain } from './plain.ts'

test('escape sequences and line breaks are shown, not obeyed', () => {
  assert.equal(plain('\u001b[2Jgone.zip'), '␛[2Jgone.zip')
  assert.equal(plain('a\nb\tc\rd\u007f'), 'a␊b␉c␍d␡')
  assert.equal(plain('csi \u009b31m'), 'csi \ufffd31m')
})

test('what turns text around is taken out', () => {
  assert.equal(plain('invoice\u202efdp.exe'), 'invoice\ufffdfdp.exe')
  assert.equal(plain('\u2067x\u2069'), '\ufffdx\ufffd')
})

test('half a letter becomes a whole unknown one', () => {
  assert.equal(plain('a\ud800b'), 'a\ufffdb')
})

test('names in any script stay as they are', () => {
  for (const name of ['naïve.pdf', 'サンプル.wav', 'שלום.zip', 'क्षि.txt', '👩‍👩‍👧.png']) {
    assert.equal(plain(name), name)
  }
})

test('only right-to-left text is isolated', () => {
  assert.equal(isolated('مرحبا.zip'), '\u2068مرحبا.zip\u2069')
  assert.equal(isolated('plain.zip'), 'plain.zip')
})
