import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { openDiskStorage } from './disk-storage.ts'

const upload = { key: '01890000-0000-7000-8000-000000000001', id: 'one' }
const plan = { size: 20, chunkSize: 10, count: 2 }
const ranges = [
  { number: 1, start: 0, end: 10 },
  { number: 2, start: 10, end: 20 },
]
const name = `${upload.key}.${upload.id}`

async function open(t: TestContext, directory: string) {
  const options = { directory, host: '127.0.0.1', port: 0, reserve: 0, onFailure() {} }
  const storage = await openDiskStorage(options)
  cleanUp(t, () => storage.close())
  return storage
}

/** An upload whose completion sealed it, and could not take that back: the disk failed meanwhile. */
async function withSealedUpload(t: TestContext) {
  const folder = await aFolder(t)
  const storage = await open(t, folder)
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const { urls } = await storage.signParts(upload, ranges, new Date(Date.now() + 60_000))
  for (const url of urls) {
    const { status } = await fetch(url, { method: 'PUT', body: Buffer.alloc(10, 'x') })
    assert.equal(status, 200)
  }
  const uploads = join(folder, 'uploads')
  await rename(join(uploads, name), join(uploads, `${name}.sealed`))
  return { folder, storage, uploads, urls }
}

test('the parts of an upload that stayed sealed are listed', async (t) => {
  const { storage } = await withSealedUpload(t)
  const parts = await storage.listParts(upload)
  assert.deepEqual(
    parts?.map(({ number }) => number),
    [1, 2],
  )
})

test('an upload that stayed sealed is completed', async (t) => {
  const { storage } = await withSealedUpload(t)
  assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
  assert.equal((await storage.findObject(upload.key))?.size, 20)
})

test('an upload that stayed sealed is opened with its parts, and removed with them', async (t) => {
  const { storage, uploads } = await withSealedUpload(t)
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  assert.equal((await storage.listParts(upload))?.length, 2)
  await rename(join(uploads, name), join(uploads, `${name}.sealed`))
  await storage.abortUpload(upload)
  assert.deepEqual(await readdir(uploads), [])
})

test('a storage opens though an upload is there both sealed and open, and keeps the open one', async (t) => {
  const { folder, storage, uploads } = await withSealedUpload(t)
  await storage.close()
  await mkdir(join(uploads, name))
  await writeFile(join(uploads, name, 'incoming-1'), 'x')
  const again = await open(t, folder)
  assert.deepEqual(await again.listParts(upload), [])
  assert.deepEqual(await readdir(uploads), [name])
})

test('draining takes no new transfers, and everything else goes on', async (t) => {
  const { storage, urls } = await withSealedUpload(t)
  await storage.drain()
  await assert.rejects(fetch(urls[0] ?? '', { method: 'PUT', body: Buffer.alloc(10) }))
  assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
})

test('removing works also when somebody has removed the trash', async (t) => {
  const { folder, storage, uploads, urls } = await withSealedUpload(t)
  await storage.completeUpload(upload, plan, [])
  const other = { key: '01890000-0000-7000-8000-000000000002', id: 'two' }
  await storage.createUpload({ ...other, mime: 'text/plain' })
  await rm(join(folder, 'trash'), { recursive: true })
  await storage.removeObject(upload.key)
  assert.equal(await storage.findObject(upload.key), undefined)
  await storage.abortUpload(other)
  assert.deepEqual(await readdir(uploads), [])
  assert.equal((await fetch(urls[0] ?? '', { method: 'PUT', body: Buffer.alloc(10) })).status, 404)
})

test('a folder that takes parts of what is an object is removed at the start', async (t) => {
  const { folder, storage, uploads } = await withSealedUpload(t)
  await storage.completeUpload(upload, plan, [])
  await storage.close()
  await mkdir(join(uploads, name))
  const again = await open(t, folder)
  assert.deepEqual(await readdir(uploads), [])
  assert.equal((await again.findObject(upload.key))?.size, 20)
})

test('a part that breaks off while its upload is sealed leaves nothing behind', async (t) => {
  const { storage, uploads } = await withSealedUpload(t)
  await storage.listParts(upload)
  const { urls } = await storage.signParts(upload, ranges, new Date(Date.now() + 60_000))
  const cut = request(urls[0] ?? '', { method: 'PUT', headers: { 'Content-Length': 10 } })
  cut.on('error', () => {})
  cut.write('12345')
  const names = () => readdir(join(uploads, name))
  await until('the part is under way', async () => (await names()).length === 3)
  await rename(join(uploads, name), join(uploads, `${name}.sealed`))
  cut.destroy()
  // The listener has noticed it by the time that it answers the next request.
  const answer = await fetch(urls[0]?.replace('uploads', 'nowhere') ?? '')
  assert.equal(answer.status, 404)
  await rename(join(uploads, `${name}.sealed`), join(uploads, name))
  await until('the rest is gone', async () => (await names()).length === 2)
})
