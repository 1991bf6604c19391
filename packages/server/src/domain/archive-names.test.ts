import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createArchiveNames } from './archive-names.ts'

function namesOf(...files: [folder: string | null, filename: string][]): string[] {
  const name = createArchiveNames()
  return files.map(([folder, filename]) => name(folder, filename))
}

test('the name of a file follows that of its folder', () => {
  assert.deepEqual(namesOf([null, 'a.txt'], ['b/c', 'a.txt']), ['a.txt', 'b/c/a.txt'])
})

test('names that occur twice get a number before the extension, regardless of their case', () => {
  const names = namesOf(
    [null, 'a.txt'],
    [null, 'A.TXT'],
    [null, 'a (2).txt'],
    [null, 'a.txt'],
    [null, '.env'],
    [null, '.env'],
    ['B', 'a.txt'],
    ['b', 'a.txt'],
    [null, 'e\u0301'],
    [null, '\u00e9'],
  )
  assert.deepEqual(names, [
    'a.txt',
    'A (2).TXT',
    'a (2) (2).txt',
    'a (3).txt',
    '.env',
    '.env (2)',
    'B/a.txt',
    'b/a (2).txt',
    'e\u0301',
    '\u00e9 (2)',
  ])
})

test('a file and a folder never have the same path', () => {
  assert.deepEqual(namesOf([null, 'a'], ['a', 'b'], ['c', 'd'], [null, 'C']), [
    'a',
    'a (2)/b',
    'c/d',
    'C (2)',
  ])
})

test('every system can create the files, and none is outside of the folder of the archive', () => {
  const cases: [folder: string | null, filename: string, expected: string][] = [
    ['..', '..', '__/__'],
    ['a/../b', 'x', 'a/__/b/x'],
    [null, 'C:\\x', 'C__x'],
    [null, '/etc/passwd', '_etc_passwd'],
    [null, 'a?*"<>|\t\u202etxt', 'a________txt'],
    ['Con', 'nul.txt', '_Con/_nul.txt'],
    [null, 'LPT1', '_LPT1'],
    [null, 'COM².a.b', '_COM².a.b'],
    [null, 'console.log', 'console.log'],
    [null, 'dots. .', 'dots___'],
    [null, '\ud800', '\ufffd'],
  ]
  for (const [folder, filename, expected] of cases) {
    assert.deepEqual(namesOf([folder, filename]), [expected])
  }
})

test('long names are shortened to 255 bytes, and stay unique', () => {
  const long = `${'ä'.repeat(200)}.txt`
  const [first = '', second = ''] = namesOf([null, long], [null, long])
  assert.match(first, /^ä+\.txt$/)
  assert.match(second, /^ä+ \(2\)\.txt$/)
  for (const name of [first, second]) assert.ok(Buffer.byteLength(name) <= 255, name)
})

test('thousands of files with the same name are named in a short time', () => {
  const name = createArchiveNames()
  const names = new Set(Array.from({ length: 100_000 }, () => name('a/b', 'same.txt')))
  assert.equal(names.size, 100_000)
})
