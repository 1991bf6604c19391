import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/client'
import { createFolderTargets } from './get.ts'

/** The paths of assets, which are given as a path and a name. */
function targetsOf(...files: [path: string | null, filename: string][]): string[] {
  const target = createFolderTargets()
  return files.map(([path, filename], index) =>
    target({ id: `ID${index}`, path, filename } as Asset).join('/'),
  )
}

test('the folders of an asset are rebuilt', () => {
  const files = targetsOf(
    ['course/week 1', 'notes.txt'],
    ['course', 'notes.txt'],
    [null, 'notes.txt'],
  )
  assert.deepEqual(files, ['course/week 1/notes.txt', 'course/notes.txt', 'notes.txt'])
})

test('assets with the same folder and name get different files, even on case-insensitive file systems', () => {
  const files = targetsOf(
    ['a', 'notes.txt'],
    ['A', 'Notes.TXT'],
    ['b', 'notes.txt'],
    ['a', 'notes.txt'],
  )
  assert.deepEqual(files, ['a/notes.txt', 'A/Notes (ID1).TXT', 'b/notes.txt', 'a/notes (ID3).txt'])
})

test('assets with the same name get different files, even if a name that differs in zeros is between them', () => {
  const files = targetsOf([null, 'track 1.wav'], [null, 'track 01.wav'], [null, 'track 1.wav'])
  assert.deepEqual(files, ['track 1.wav', 'track 01.wav', 'track 1 (ID2).wav'])
})

test('no path leads out of the folder, and a sanitized name never equals the name of another asset', () => {
  const files = targetsOf(
    ['../..', 'a.txt'],
    ['/etc', 'passwd'],
    ['a:b', 'x'],
    ['a?b', 'x'],
    ['con', 'y'],
    [null, '../up'],
    [null, '.bashrc'],
    [null, 'a:b'],
  )
  assert.deepEqual(files, [
    '__/__/a.txt',
    'etc/passwd',
    'a_b/x',
    'a_b/x (ID3)',
    '_con/y',
    '_ (ID5)._up',
    '_bashrc (ID6)',
    'a_b (ID7)',
  ])
  for (const file of files) assert.doesNotMatch(file, /^\/|(^|\/)\.{1,2}(\/|$)/)
})

test('the ID is added even to a name of maximum length', () => {
  const name = `${'長'.repeat(83)}.zip`
  const [, second = ''] = targetsOf([null, name], [null, name])
  assert.match(second, /長 \(ID1\)\.zip$/)
  assert.ok(Buffer.byteLength(second) <= 255)
})
