import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PickedFile } from './picked-file.ts'
import { findUploadOf } from './resumable-upload.ts'

const picked = (folder: string, size = 5) =>
  ({ file: { name: 'notes.txt', size }, folder }) as PickedFile
const anUpload = (path: string | null) => ({ name: 'notes.txt', size: 5, path })
const uploads = [anUpload('a'), anUpload(null), anUpload('b')]

test('of several uploads with the same name and size, the one of the same folder is resumed', () => {
  assert.equal(findUploadOf(uploads, picked('b')), uploads[2])
  assert.equal(findUploadOf(uploads, picked('')), uploads[1])
})

test('an upload of another folder is not resumed, unless one of the folders is unknown', () => {
  assert.equal(findUploadOf([anUpload('a')], picked('b')), undefined)
  assert.deepEqual(findUploadOf([anUpload('a')], picked('')), anUpload('a'))
  assert.deepEqual(findUploadOf([anUpload(null)], picked('b')), anUpload(null))
  assert.equal(findUploadOf(uploads, picked('a', 6)), undefined)
})
