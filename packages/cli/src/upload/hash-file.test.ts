import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { Interrupted } from '../interrupt.ts'
import { hashFile } from './hash-file.ts'

test('the SHA-256 covers all bytes of a file', async (t) => {
  const path = join(await aFolder(t), 'file.bin')
  const bytes = randomBytes(3_000_000)
  await writeFile(path, bytes)
  const expected = createHash('sha256').update(bytes).digest('hex')
  assert.equal(await hashFile(path, new AbortController().signal), expected)
})

test('Ctrl-C while a file is read is an interruption, not a failure of the file', async (t) => {
  const path = join(await aFolder(t), 'file.bin')
  await writeFile(path, randomBytes(3_000_000))
  const controller = new AbortController()
  const hashed = hashFile(path, controller.signal)
  controller.abort(new Interrupted('interrupted'))
  await assert.rejects(hashed, Interrupted)
})
