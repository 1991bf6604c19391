import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { writePrivateFile } from './files.ts'

test('only the user can read the file and the folders created for it', async (t) => {
  const folder = join(await aFolder(t), 'new', 'folder')
  const path = join(folder, 'login.json')
  await writePrivateFile(path, 'first')
  await writePrivateFile(path, 'second')
  assert.equal(await readFile(path, 'utf8'), 'second')
  assert.deepEqual(await readdir(folder), ['login.json'])
  if (process.platform === 'win32') return
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
})

test('with overwrite: false, an existing file stays as it was and no temporary file remains', async (t) => {
  const folder = await aFolder(t)
  const path = join(folder, 'upload.json')
  await writePrivateFile(path, 'first', { overwrite: false })
  await assert.rejects(writePrivateFile(path, 'second', { overwrite: false }), { code: 'EEXIST' })
  assert.equal(await readFile(path, 'utf8'), 'first')
  assert.deepEqual(await readdir(folder), ['upload.json'])
})
