import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
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

/** For searching longer: `ABORTED_PARTS=20000`. */
const ABORTED_PARTS = Number(process.env.ABORTED_PARTS ?? 200)

async function open(t: TestContext, directory: string) {
  const options = { directory, host: '127.0.0.1', port: 0, reserve: 0, onFailure() {} }
  const storage = await openDiskStorage(options)
  cleanUp(t, () => storage.close())
  return storage
}

/** An upload that stayed sealed because the disk failed during its completion. */
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

test('an upload that stayed sealed can be completed', async (t) => {
  const { storage } = await withSealedUpload(t)
  assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
  assert.equal((await storage.findObject(upload.key))?.size, 20)
})

test('an upload that stayed sealed can be opened with its parts, and aborted', async (t) => {
  const { storage, uploads } = await withSealedUpload(t)
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  assert.equal((await storage.listParts(upload))?.length, 2)
  await rename(join(uploads, name), join(uploads, `${name}.sealed`))
  await storage.abortUpload(upload)
  assert.deepEqual(await readdir(uploads), [])
})

test('if an upload has a sealed and an open folder when the storage opens, the open one is kept', async (t) => {
  const { folder, storage, uploads } = await withSealedUpload(t)
  await storage.close()
  await mkdir(join(uploads, name))
  await writeFile(join(uploads, name, 'incoming-1'), 'x')
  const again = await open(t, folder)
  assert.deepEqual(await again.listParts(upload), [])
  assert.deepEqual(await readdir(uploads), [name])
})

test('draining refuses new transfers, and all other calls work', async (t) => {
  const { storage, urls } = await withSealedUpload(t)
  await storage.drain()
  await assert.rejects(fetch(urls[0] ?? '', { method: 'PUT', body: Buffer.alloc(10) }))
  assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
})

test('objects and uploads can be removed after the trash folder was deleted', async (t) => {
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

test('an upload folder whose object exists is removed when the storage opens', async (t) => {
  const { folder, storage, uploads } = await withSealedUpload(t)
  await storage.completeUpload(upload, plan, [])
  await storage.close()
  await mkdir(join(uploads, name))
  const again = await open(t, folder)
  assert.deepEqual(await readdir(uploads), [])
  assert.equal((await again.findObject(upload.key))?.size, 20)
})

test('a part whose client disconnects while its upload is sealed leaves no file behind', async (t) => {
  const { storage, uploads } = await withSealedUpload(t)
  await storage.listParts(upload)
  const { urls } = await storage.signParts(upload, ranges, new Date(Date.now() + 60_000))
  const cut = request(urls[0] ?? '', { method: 'PUT', headers: { 'Content-Length': 10 } })
  cut.on('error', () => {})
  cut.write('12345')
  const names = () => readdir(join(uploads, name))
  await until('the part is in transfer', async () => (await names()).length === 3)
  await rename(join(uploads, name), join(uploads, `${name}.sealed`))
  cut.destroy()
  // The listener has noticed the disconnect when it responds to the next request.
  const response = await fetch(urls[0]?.replace('uploads', 'nowhere') ?? '')
  assert.equal(response.status, 404)
  await rename(join(uploads, `${name}.sealed`), join(uploads, name))
  await until('the incomplete part is removed', async () => (await names()).length === 2)
})

test('concurrent completions share syncs, and wait for little else in the thread pool', async (t) => {
  const storage = await open(t, await aFolder(t))
  const uploads = Array.from({ length: 50 }, (_, index) => ({
    key: `01890000-0000-7000-8000-0000000${String(index).padStart(3, '0')}01`,
    id: 'one',
  }))
  for (const upload of uploads) {
    await storage.createUpload({ ...upload, mime: 'text/plain' })
    const { urls } = await storage.signParts(upload, ranges, new Date(Date.now() + 60_000))
    for (const url of urls) await fetch(url, { method: 'PUT', body: Buffer.alloc(10, 'x') })
  }
  let calls = 0
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith('FSREQ')) calls += 1
    },
  })
  hook.enable()
  const outcomes = await Promise.all(
    uploads.map((upload) => storage.completeUpload(upload, plan, [])),
  )
  hook.disable()
  for (const outcome of outcomes) assert.deepEqual(outcome, { outcome: 'completed' })
  // The folders that they have in common are synced a few times. Those of the uploads were synced with their parts.
  assert.ok(calls < uploads.length / 2, `${calls} calls in the thread pool`)
})

test('a completion syncs the folder of an upload that an earlier process has begun', async (t) => {
  const { folder, storage } = await withSealedUpload(t)
  await storage.close()
  const again = await open(t, folder)
  const synced: string[] = []
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith('FSREQ')) synced.push(type)
    },
  })
  hook.enable()
  const { outcome } = await again.completeUpload(upload, plan, [])
  hook.disable()
  assert.equal(outcome, 'completed')
  // The folder of the upload, `uploads`, `objects` and the folder of the object.
  assert.equal(synced.length, 4)
})

test('parts that are aborted while completions are refused leave no files behind', async (t) => {
  const { storage, uploads } = await withSealedUpload(t)
  await storage.listParts(upload)
  const { urls } = await storage.signParts(upload, ranges, new Date(Date.now() + 60_000))
  let isOver = false
  const refused = (async () => {
    const wrong = [{ number: 1, etag: 'wrong' }]
    while (!isOver) {
      const { outcome } = await storage.completeUpload(upload, plan, wrong)
      assert.equal(outcome, 'refused')
      // A refused completion waits for nothing, so that the clients below would hardly run.
      await nextTurn()
    }
  })()
  const agent = new Agent({ maxSockets: 20 })
  for (let index = 0; index < ABORTED_PARTS; index += 1) {
    const cut = request(urls[index % 2] ?? '', {
      method: 'PUT',
      agent,
      headers: { 'Content-Length': 10 },
    })
    cut.on('error', () => {})
    cut.on('response', () => cut.destroy())
    cut.write('12345')
    // Some are replaced by a later one, the others disconnect.
    if (index % 3 > 0) await once(cut, 'socket').then(() => setImmediate(() => cut.destroy()))
  }
  agent.destroy()
  isOver = true
  await refused
  await until('no incomplete part is left', async () => {
    const names = await readdir(join(uploads, name)).catch(() => ['sealed'])
    return names.length === 2
  })
})
