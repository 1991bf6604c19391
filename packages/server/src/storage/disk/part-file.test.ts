import assert from 'node:assert/strict'
import { type FileHandle, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { someBytes } from '@stowage/testing/service/upload'
import { openPartWriters } from './part-file.ts'

async function aFile(t: TestContext, flags = 'w'): Promise<{ path: string; file: FileHandle }> {
  const path = join(await aFolder(t), 'part')
  if (flags === 'r') await writeFile(path, '')
  const file = await open(path, flags)
  cleanUp(t, () => file.close())
  return { path, file }
}

test('concurrent writes arrive complete and in order, although their buffer is reused', async (t) => {
  const openWriter = openPartWriters()
  const [one, other] = [await aFile(t), await aFile(t)]
  const [first, second] = [openWriter(one.file.fd), openWriter(other.file.fd)]
  const expected = someBytes(5_000_000)
  const shared = Buffer.alloc(700_000)
  // Short writes, long writes, and some that are longer than the writers' buffers.
  for (
    let at = 0, length = 1;
    at < expected.length;
    at += length, length = (length * 7) % 699_999
  ) {
    const piece = expected.subarray(at, at + length)
    for (const writer of [first, second]) {
      shared.set(piece)
      writer.write(shared.subarray(0, piece.length))
      shared.fill(0)
    }
  }
  await Promise.all([first.finish(), second.finish()])
  assert.ok(expected.equals(await readFile(one.path)))
  assert.ok(expected.equals(await readFile(other.path)))
})

test('a failed write fails its part, but not the next part', async (t) => {
  const openWriter = openPartWriters()
  for (let times = 0; times < 10; times += 1) {
    const { file } = await aFile(t, 'r')
    const writer = openWriter(file.fd)
    writer.write(Buffer.alloc(10))
    await assert.rejects(writer.finish(), { code: 'EBADF' })
    assert.throws(() => writer.write(Buffer.alloc(10)), { code: 'EBADF' })
  }
  const { path, file } = await aFile(t)
  const writer = openWriter(file.fd)
  writer.write(Buffer.from('whole'))
  await writer.finish()
  assert.equal(await readFile(path, 'utf8'), 'whole')
})

test('a full disk is reported by writes in the thread pool and by synchronous writes', async (t) => {
  const openWriter = openPartWriters()
  const full = await open('/dev/full', 'w').catch(() => undefined)
  if (full === undefined) return t.skip('there is no /dev/full')
  cleanUp(t, () => full.close())
  const inPool = openWriter(full.fd)
  inPool.write(Buffer.alloc(10))
  await assert.rejects(inPool.finish(), { code: 'ENOSPC' })
  const tooLongForThePool = Buffer.alloc(1_000_000)
  assert.throws(() => openWriter(full.fd).write(tooLongForThePool), { code: 'ENOSPC' })
})
