import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  folderOfFilter,
  folderRange,
  normalizePath,
  problemWithFilename,
  problemWithPath,
} from './names.ts'

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

test('relative paths are valid, in any script', () => {
  for (const path of ['', 'a', 'course/week 1', '課程/第一週', '...', 'a/.hidden', 'a.b/c']) {
    assert.equal(problemWithPath(path), undefined, path)
  }
  assert.equal(
    problemWithPath(Array.from({ length: 3 }, () => 'x'.repeat(160)).join('/')),
    undefined,
  )
})

test('a path is refused if it could point elsewhere, has invisible names or is too long', () => {
  const bad = [
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    './a',
    'a\\b',
    'C:\\a',
    'a\0b',
    'a\nb',
    ' ',
    'a/ /b',
    'a/\u200b',
    '\ud800',
    'x'.repeat(256),
    `${'x'.repeat(255)}/${'x'.repeat(255)}/x`,
    // Normalization turns each of them into three characters.
    '\u{1d160}'.repeat(171),
  ]
  for (const path of bad) assert.notEqual(problemWithPath(path), undefined, JSON.stringify(path))
})

test('composed and decomposed accents are the same path, and an empty path means none', () => {
  assert.equal(normalizePath('Cafe\u0301/a'), 'Café/a')
  assert.equal(normalizePath(''), null)
  assert.equal(normalizePath(undefined), null)
})

test('a filter selects a folder and everything below it, with or without a slash at its end', () => {
  assert.equal(folderOfFilter('course'), 'course/')
  assert.equal(folderOfFilter('course/'), 'course/')
  assert.equal(folderOfFilter('/'), undefined)
  const { from, until } = folderRange('course/')
  const isInside = (path: string) => from <= `${path}/` && `${path}/` < until
  assert.deepEqual(
    ['course', 'course/a', 'course/zz', 'course2', 'course-2', 'course 2', 'cours'].map(isInside),
    [true, true, true, false, false, false, false],
  )
})
