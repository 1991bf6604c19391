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

const CHUNK = 50_000
const PARTS = 10
const BYTES = someBytes(PARTS * CHUNK)

/** A file of which the storage takes three parts, and the rest when it is let go. */
async function aHalfSentFile(t: TestContext, options: { store?: UploadStore } = {}) {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let puts = 0
  const service = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: String(CHUNK) },
    storage({ method }) {
      if (method === 'PUT') puts += 1
      return puts > 3 ? { kind: 'wait', until: held } : { kind: 'pass' }
    },
  })
  const { url: baseUrl } = service.api
  const { client, folder } = await aClient(t, { baseUrl, parallel: 1, ...options })
  const path = join(folder, 'pack.zip')
  await writeFile(path, BYTES)
  await utimes(path, TIME, TIME)
  const controller = new AbortController()
  const upload = client.upload(path, { signal: controller.signal })
  await until('three parts are there', () => upload.progress.parts.done === 3)
  await until('the fourth is held', () => service.storage.waiting() === 1)
  /** Nothing of the fourth part arrives afterwards. */
  async function interrupt() {
    controller.abort()
    await assert.rejects(upload, { name: 'AbortError' })
    await until('the fourth is given up', () => service.storage.waiting() === 0)
    letGo()
  }
  return { ...service, client, path, upload, interrupt, letGo, puts: () => puts }
}

async function overwrite(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.from('other bytes'), 0, 11, at)
  await file.close()
}

/** A whole second, so that a file's time can be set back to exactly this. */
const TIME = new Date(1_700_000_000_000)

/** Size and time say afterwards that nothing happened. */
async function overwriteInSecret(path: string, at: number): Promise<void> {
  await overwrite(path, at)
  await utimes(path, TIME, TIME)
}

async function assertNothingStored(client: NodeClient): Promise<void> {
  assert.deepEqual(await Array.fromAsync(client.assets()), [])
}

const isChanged = (error: unknown) => isStowageError(error, 'file_changed')

test('a file that is written to while it is sent is refused', async (t) => {
  const { client, path, upload, letGo } = await aHalfSentFile(t)
  await overwrite(path, 9 * CHUNK)
  letGo()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a file that is cut off while it is sent is refused', async (t) => {
  const { client, path, upload, letGo } = await aHalfSentFile(t)
  const file = await open(path, 'r+')
  await file.truncate(5 * CHUNK)
  await file.close()
  letGo()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a part that was sent and then changed in secret is found before the parts are put together', async (t) => {
  const { client, path, upload, letGo } = await aHalfSentFile(t)
  await overwriteInSecret(path, 0)
  letGo()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a file that another takes the place of is sent as it was', async (t) => {
  const { path, upload, letGo, baseUrl } = await aHalfSentFile(t)
  await writeFile(`${path}.new`, someBytes(PARTS * CHUNK, 2))
  await rename(`${path}.new`, path)
  letGo()
  const { id } = await upload
  assert.ok((await download(baseUrl, id)).equals(BYTES))
})

test('a file that changed between attempts is a new upload, and its old one is cancelled', async (t) => {
  const { client, path, upload, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  await writeFile(path, BYTES.subarray(0, 5 * CHUNK + 1))
  const asset = await client.upload(path)
  assert.notEqual(asset.id, upload.id)
  assert.ok((await download(baseUrl, asset.id)).equals(await readFile(path)))
  assert.equal((await client.account()).reserved, 0)
  assert.deepEqual(await client.unfinished(), [])
})

test('a file that changed is refused where the caller insists on its old upload', async (t) => {
  const { client, path, upload, puts, interrupt } = await aHalfSentFile(t)
  await interrupt()
  const before = puts()
  await overwrite(path, 9 * CHUNK)
  await assert.rejects(client.upload(path, { resume: upload.id }), isChanged)
  assert.equal(puts(), before)
  assert.equal((await client.account()).reserved, BYTES.length)
})

test('a file that changes while its upload is paused is refused', async (t) => {
  const { client, path, upload, letGo } = await aHalfSentFile(t)
  upload.pause()
  await until('it is paused', () => upload.progress.state === 'paused')
  await overwrite(path, 9 * CHUNK)
  letGo()
  upload.resume()
  await assert.rejects(upload, isChanged)
  await assertNothingStored(client)
})

test('a sent part that changed in secret between attempts is found by its digest', async (t) => {
  const { client, path, upload, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  await overwriteInSecret(path, CHUNK)
  const asset = await client.upload(path)
  assert.notEqual(asset.id, upload.id)
  assert.ok((await download(baseUrl, asset.id)).equals(await readFile(path)))
  assert.equal((await client.account()).reserved, 0)
})

/** What is left where a line was too fast for digests. */
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

test('parts without a digest are sent again once anything happened to the file', async (t) => {
  const store = aStoreWithoutDigests()
  const { client, path, upload, puts, baseUrl, interrupt } = await aHalfSentFile(t, {
    store,
  })
  await interrupt()
  const before = puts()
  await overwriteInSecret(path, CHUNK)
  const { id } = await client.upload(path)
  assert.equal(id, upload.id)
  assert.equal(puts() - before, PARTS)
  assert.ok((await download(baseUrl, id)).equals(await readFile(path)))
})

test('a file that was only moved away and back goes on', async (t) => {
  const { client, path, upload, baseUrl, interrupt } = await aHalfSentFile(t)
  await interrupt()
  await rename(path, `${path}.away`)
  await rename(`${path}.away`, path)
  const asset = await client.upload(path)
  assert.equal(asset.id, upload.id)
  assert.ok((await download(baseUrl, asset.id)).equals(BYTES))
})

test('another machine goes on by the asset’s id, with a file of the same size only', async (t) => {
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

test('another machine that is interrupted itself goes on, also when its file was moved', async (t) => {
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

test('a pause while a page’s file is compared with what was sent does not spare it the rest', async (t) => {
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
  let asked = 0
  const client = createClient({
    baseUrl: api.url,
    store,
    async fetch(address, init) {
      const answer = await fetch(address, init)
      if (`${address}`.endsWith('/upload') && asked++ === 0) upload.pause()
      return answer
    },
  })
  const upload = client.upload(fileOf(changed))
  await until('it is paused', () => upload.progress.state === 'paused')
  upload.resume()
  const { id } = await upload
  assert.notEqual(id, first.id)
  assert.ok((await download(api.url, id)).equals(changed))
})
