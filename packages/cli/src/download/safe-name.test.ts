import assert from 'node:assert/strict'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { safeName } from './safe-name.ts'

test('ordinary names in any script are unchanged', () => {
  for (const name of [
    'sample pack.zip',
    'サンプル.wav',
    'שלום.pdf',
    'a.tar.gz',
    "it's (1).mp4",
    '👍.png',
  ]) {
    assert.equal(safeName(name), name)
  }
})

test('no name leaves the folder, is hidden or looks like an option', () => {
  const names = [
    '../../.bashrc',
    '..',
    '.',
    '/etc/passwd',
    'C:\\x\\y',
    '.profile',
    '-rf',
    '~',
    'a\u0000b',
    '',
    ' ',
    '\u202egpj.exe',
  ]
  for (const name of names) {
    const safe = safeName(name)
    assert.equal(basename(join('/here', safe)), safe, name)
    assert.match(safe, /^[^.\-~ ]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
    assert.doesNotMatch(safe, /[\u0000-\u001f\u202e/\\]/)
  }
})

test('names that Windows reserves are changed', () => {
  assert.deepEqual(['con', 'NUL.txt', 'a.', 'console.log'].map(safeName), [
    '_con',
    '_NUL.txt',
    'a_',
    'console.log',
  ])
})

test('a name that is too long in bytes is shortened and keeps its extension', () => {
  const safe = safeName(`${'長'.repeat(250)}.tar.zip`)
  assert.ok(Buffer.byteLength(safe) <= 255)
  assert.match(safe, /長\.zip$/)
})
