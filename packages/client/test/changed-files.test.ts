import assert from 'node:assert/strict'
import { open, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createClient, type SavedUpload, type UploadStore } from '@stowage/client'
import { isStowageError, type NodeClient } from '@stowage/client/node'
import { until } from '@stowage/testing/machine/until'
import { download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import { aProxiedService } from './support/proxied-service.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const CHUNK = 50_000
const PARTS = 10
const BYTES = someBytes(PARTS * CHUNK)

/** A file of which three parts are stored. The proxy blocks the others until `release` is called. */
async function aHalfSentFile(t: TestContext, options: { store?: UploadStore } = {}) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let puts = 0
  const service = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: String(CHUNK) },
    storage({ method }) {
      if (method === 'PUT') puts += 1
      return puts > 3 ? { kind: 'wait', until: released } : { kind: 'pass' }
    },
  })
  const { url: baseUrl } = service.api
  const { client, folder } = await aClient(t, { baseUrl, parallel: 1, ...options })
  const path = join(folder, 'pack.zip')
  await writeFile(path, BYTES)
  await utimes(path, TIME, TIME)
  const controller = new AbortController()
  const upload = client.upload(path, { signal: controller.signal })
  await until('three parts are stored', () => upload.progress.parts.done === 3)
  await until('the fourth part is blocked', () => service.storage.waiting() === 1)
  /** Afterward, nothing of the fourth part reaches the storage. */
  async function interrupt() {
    controller.abort()
    await assert.rejects(upload, { name: 'AbortError' })
    await until('the request of the fourth part is closed', () => service.storage.waiting() === 0)
    release()
  }
  return { ...service, client, path, upload, interrupt, release, puts: () => puts }
}

async function overwrite(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.from('other bytes'), 0, 11, at)
  await file.close()
}

/** A whole second, so that a file's time can be set back to exactly this. */
const TIME = new Date(1_700_000_000_000)

/** Overwrites bytes, but leaves the size and the time of the file unchanged. */
async function overwriteUnnoticed(path: string, at: number): Promise<void> {
  await overwrite(path, at)
  await utimes(path, TIME, TIME)
}

async function assertNothingStored(client: NodeClient): Promise<void> {
  assert.deepEqual(await Array.fromAsync(client.assets()), [])
}

const isChanged = (error: unknown) => isStowageError(error, 'file_changed')

test('a file that is written to during its upload is refused', async (t) => {
  const { client, path, upload, release } = await aHalfSentFile(t)
  await overwrite(path, 9 * CHUNK)
  release()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a file that is truncated during its upload is refused', async (t) => {
  const { client, path, upload, release } = await aHalfSentFile(t)
  const file = await open(path, 'r+')
  await file.truncate(5 * CHUNK)
  await file.close()
  release()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a changed part is detected before the completion, even if the file has the same size and time', async (t) => {
  const { client, path, upload, release } = await aHalfSentFile(t)
  await overwriteUnnoticed(path, 0)
  release()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a file that is replaced during its upload is sent with its original content', async (t) => {
  const { path, upload, release, baseUrl } = await aHalfSentFile(t)
  await writeFile(`${path}.new`, someBytes(PARTS * CHUNK, 2))
  await rename(`${path}.new`, path)
  release()
  const { id } = await upload
  assert.ok((await download(baseUrl, id)).equals(BYTES))
})

test('if a file changes after an interrupted upload, a new upload starts and the old one is cancelled', async (t) => {
  const { client, path, upload, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  await writeFile(path, BYTES.subarray(0, 5 * CHUNK + 1))
  const asset = await client.upload(path)
  assert.notEqual(asset.id, upload.id)
  assert.ok((await download(baseUrl, asset.id)).equals(await readFile(path)))
  assert.equal((await client.account()).reserved, 0)
  assert.deepEqual(await client.unfinished(), [])
})

test('with resume: id, a changed file is refused and its upload stays', async (t) => {
  const { client, path, upload, puts, interrupt } = await aHalfSentFile(t)
  await interrupt()
  const before = puts()
  await overwrite(path, 9 * CHUNK)
  await assert.rejects(client.upload(path, { resume: upload.id }), isChanged)
  assert.equal(puts(), before)
  assert.equal((await client.account()).reserved, BYTES.length)
})

test('a file that changes while its upload is paused is refused', async (t) => {
  const { client, path, upload, release } = await aHalfSentFile(t)
  upload.pause()
  await until('it is paused', () => upload.progress.state === 'paused')
  await overwrite(path, 9 * CHUNK)
  release()
  upload.resume()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('if a sent part changes after an interruption, its digest detects the change, even if the file has the same size and time', async (t) => {
  const { client, path, upload, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  await overwriteUnnoticed(path, CHUNK)
  const asset = await client.upload(path)
  assert.notEqual(asset.id, upload.id)
  assert.ok((await download(baseUrl, asset.id)).equals(await readFile(path)))
  assert.equal((await client.account()).reserved, 0)
})

/** A store that drops the digests, as if the connection were so fast that the client computed none. */
function aStoreWithoutDigests(): UploadStore {
  const kept = new Map<string, SavedUpload>()
  return {
    get: async (key) => kept.get(key),
    list: async () => [...kept.values()],
    async set(saved) {
      const digests = Object.fromEntries(Object.keys(saved.digests).map((part) => [part, '']))
      kept.set(saved.key, { ...saved, digests })
    },
    async delete(key) {
      kept.delete(key)
    },
  }
}

test('parts without a digest are sent again if the file may have changed', async (t) => {
  const store = aStoreWithoutDigests()
  const { client, path, upload, puts, baseUrl, interrupt } = await aHalfSentFile(t, {
    store,
  })
  await interrupt()
  const before = puts()
  await overwriteUnnoticed(path, CHUNK)
  const { id } = await client.upload(path)
  assert.equal(id, upload.id)
  assert.equal(puts() - before, PARTS)
  assert.ok((await download(baseUrl, id)).equals(await readFile(path)))
})

test('an upload resumes after its file was renamed and then got its old name back', async (t) => {
  const { client, path, upload, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  await rename(path, `${path}.away`)
  await rename(`${path}.away`, path)
  const asset = await client.upload(path)
  assert.equal(asset.id, upload.id)
  assert.ok((await download(baseUrl, asset.id)).equals(BYTES))
})

test('another machine can resume by the asset’s ID, but only with a file of the same size', async (t) => {
  const { upload, api, baseUrl, puts, interrupt } = await aHalfSentFile(t)
  await interrupt()
  const { client, folder } = await aClient(t, { baseUrl: api.url })
  const path = join(folder, 'copy.zip')
  await writeFile(path, BYTES.subarray(1))
  const id = upload.id ?? ''
  await assert.rejects(client.upload(path, { resume: id }), isChanged)
  await writeFile(path, BYTES)
  const before = puts()
  const asset = await client.upload(path, { resume: id })
  assert.deepEqual([asset.id, asset.filename], [id, 'pack.zip'])
  assert.equal(puts() - before, 7)
  assert.ok((await download(baseUrl, id)).equals(BYTES))
})

test('another machine can resume again after an interruption, even if its file was renamed and renamed back', async (t) => {
  const { upload, api, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  const { client, folder } = await aClient(t, { baseUrl: api.url, parallel: 1 })
  const path = join(folder, 'copy.zip')
  await writeFile(path, BYTES)
  const id = upload.id ?? ''
  const stopping = new AbortController()
  const stopped = client.upload(path, {
    resume: id,
    signal: stopping.signal,
    onProgress: ({ parts }) => parts.done >= 5 && stopping.abort(),
  })
  await assert.rejects(stopped, { name: 'AbortError' })
  await rename(path, `${path}.away`)
  await rename(`${path}.away`, path)
  assert.equal((await client.upload(path, { resume: id })).id, id)
  assert.ok((await download(baseUrl, id)).equals(BYTES))
  assert.equal((await client.account()).reserved, 0)
})

function inMemory(): UploadStore {
  const kept = new Map<string, SavedUpload>()
  return {
    get: async (key) => kept.get(key),
    set: async (saved) => kept.set(saved.key, structuredClone(saved)),
    delete: async (key) => kept.delete(key),
    list: async () => [...kept.values()],
  }
}

test('pausing an upload while its file is compared with the sent parts does not skip the comparison', async (t) => {
  const { api, interrupt } = await aHalfSentFile(t)
  await interrupt()
  const store = inMemory()
  const fileOf = (bytes: Buffer) =>
    new File([new Uint8Array(bytes)], 'page.zip', { lastModified: TIME.getTime() })
  const parallel = 1
  const stopping = new AbortController()
  const first = createClient({ baseUrl: api.url, store, parallel }).upload(fileOf(BYTES), {
    signal: stopping.signal,
    onProgress: ({ parts }) => parts.done >= 3 && stopping.abort(),
  })
  await assert.rejects(first, { name: 'AbortError' })

  const changed = Buffer.from(BYTES)
  changed.write('other bytes', 0)
  let requests = 0
  const client = createClient({
    baseUrl: api.url,
    store,
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (`${url}`.endsWith('/upload') && requests++ === 0) upload.pause()
      return response
    },
  })
  const upload = client.upload(fileOf(changed))
  await until('it is paused', () => upload.progress.state === 'paused')
  upload.resume()
  const { id } = await upload
  assert.notEqual(id, first.id)
  assert.ok((await download(api.url, id)).equals(changed))
})
