import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderPath } from './folder-path.ts'

test('the path of a file is the folder that it is in', () => {
  assert.equal(folderPath('course/week 1/notes.txt'), 'course/week 1')
  assert.equal(folderPath('course/notes.txt'), 'course')
  assert.equal(folderPath('notes.txt'), undefined)
  assert.equal(folderPath(''), undefined)
})

test('characters that the service refuses are replaced, and a path that is too long is omitted', () => {
  assert.equal(folderPath('/a//./../b\\c/d\ne/ /x'), 'a/b_c/d_e/_')
  assert.equal(folderPath('Cafe\u0301/x'), 'Café')
  assert.equal(folderPath('a\ud800/x'), 'a_')
  assert.equal(folderPath(`${'a/'.repeat(300)}x`), undefined)
  assert.equal(folderPath(`${'a'.repeat(256)}/x`), undefined)
})
