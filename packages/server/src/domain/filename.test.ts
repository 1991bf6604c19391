import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemWithFilename } from './filename.ts'

test('names in any script are valid', () => {
  const names = [
    'a',
    'Ünïcødé.zip',
    '日本語.pdf',
    'שלום.txt',
    '👩‍👩‍👧.png',
    '100%_done.mp4',
    '…',
    'x'.repeat(255),
    '😀'.repeat(255),
  ]
  for (const name of names) assert.equal(problemWithFilename(name), undefined, name)
})

test('names that no file can have, and paths, are refused', () => {
  const names = [
    '',
    '   ',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    'a\u0000b',
    'a\nb',
    'a\u007fb',
    '\ud800',
    'x'.repeat(256),
  ]
  for (const name of names)
    assert.notEqual(problemWithFilename(name), undefined, JSON.stringify(name))
})
