import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createClient as createBrowserClient } from '@stowage/client'
import { createClient, isStowageError, type Progress, type Upload } from '@stowage/client/node'
import { until } from '@stowage/testing/machine/until'
import { callJson } from '@stowage/testing/service/service'
import { API, download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aProxiedService } from './support/proxied-service.ts'

const CHUNK = 50_000
const BYTES = new Uint8Array(someBytes(10 * CHUNK))

const PARALLEL = 2

/** A file of ten parts. The proxy blocks all but the first three until `release` is called. */
async function aBlockedUpload(t: TestContext) {
  const released = Promise.withResolvers<void>()
  let puts = 0
  const service = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: String(CHUNK) },
    storage({ method }): Fault {
      if (method === 'PUT') puts += 1
      return puts > 3 ? { kind: 'wait', until: released.promise } : { kind: 'pass' }
    },
  })
  const { client, folder } = await aClient(t, { baseUrl: service.api.url, parallel: PARALLEL })
  const path = join(folder, 'course.mp4')
  await writeFile(path, BYTES)
  const { waiting } = service.storage
  return {
    ...service,
    client,
    path,
    puts: () => puts,
    /** Waits until three parts are stored and all parts in transit are blocked. */
    async untilBlocked(upload: Upload) {
      await until('three parts are stored', () => upload.progress.parts.done === 3)
      await until('the next ones are blocked', () => waiting() === PARALLEL)
    },
    /** Waits until the requests of blocked parts are closed, so that nothing of them is stored. */
    async release() {
      await until('the requests of blocked parts are closed', () => waiting() === 0)
      released.resolve()
    },
  }
}

async function reservedAt(baseUrl: string): Promise<number> {
  const { body } = await callJson(`${baseUrl}${API}/account`, { method: 'GET' })
  return body.data.reserved
}

test('a pause stops sending, and resume() sends the missing parts', async (t) => {
  const { client, path, release, puts, baseUrl, untilBlocked } = await aBlockedUpload(t)
  const seen: Progress[] = []
  const upload = client.upload(path, { onProgress: (progress) => seen.push(progress) })
  await untilBlocked(upload)
  upload.pause()
  await until('it is paused', () => upload.progress.state === 'paused')
  const before = puts()
  await release()
  upload.resume()
  const { id } = await upload
  assert.equal(puts() - before, 7)
  assert.ok((await download(baseUrl, id)).equals(BYTES))
  const states = seen.map(({ state }) => state).filter((state, at, all) => state !== all[at - 1])
  assert.deepEqual(states, ['sending', 'paused', 'waiting', 'sending', 'finishing', 'ready'])
  const bytes = seen.map((progress) => progress.bytes)
  assert.deepEqual(
    bytes,
    bytes.toSorted((a, b) => a - b),
  )
  assert.equal(upload.progress.bytes, BYTES.length)
})

test('cancelling removes everything at the service, and the upload rejects with cancelled', async (t) => {
  const { client, path, baseUrl, untilBlocked } = await aBlockedUpload(t)
  const upload = client.upload(path)
  await untilBlocked(upload)
  assert.equal(await reservedAt(baseUrl), BYTES.length)
  await upload.cancel()
  await assert.rejects(upload, (error) => isStowageError(error, 'cancelled'))
  assert.equal(upload.progress.state, 'cancelled')
  assert.equal(await reservedAt(baseUrl), 0)
  assert.deepEqual(await client.unfinished(), [])
  await upload.cancel()
})

test('cancelling before the service has responded leaves nothing there either', async (t) => {
  const service = await aProxiedService(t, {
    settings: {},
    api: ({ url }) => (url?.endsWith('/signed') ? faults.shift() : undefined) ?? { kind: 'pass' },
  })
  const faults: Fault[] = [{ kind: 'hang' }]
  const { client } = await aClient(t, { baseUrl: service.api.url })
  const upload = client.upload(BYTES)
  await until(
    'the service has reserved storage',
    async () => (await reservedAt(service.baseUrl)) > 0,
  )
  assert.equal(upload.id, undefined)
  await upload.cancel()
  assert.equal(await reservedAt(service.baseUrl), 0)
})

test('cancelling takes precedence over an error at the same time', async (t) => {
  const { client, path, release, baseUrl } = await aBlockedUpload(t)
  await release()
  let cancelling: Promise<void> | undefined
  const upload = client.upload(path, {
    onProgress({ state }) {
      if (state !== 'finishing') return
      writeFileSync(path, 'another file')
      cancelling ??= upload.cancel()
    },
  })
  await assert.rejects(upload, (error) => isStowageError(error, 'cancelled'))
  await cancelling
  assert.equal(await reservedAt(baseUrl), 0)
})

test('an upload whose state cannot be saved can be cancelled by its ID', async (t) => {
  const { baseUrl } = await aBlockedUpload(t)
  // Node has no IndexedDB, so this client cannot save the state.
  const client = createBrowserClient({ baseUrl })
  const upload = client.upload(new File([BYTES], 'a.bin'))
  await until('it has an ID', () => upload.id !== undefined)
  upload.pause()
  await client.cancelUpload(upload.id ?? '')
  assert.equal(await reservedAt(baseUrl), 0)
})

test('an invalid API key or base URL is a TypeError, without retries', async (t) => {
  const { baseUrl, path } = await aBlockedUpload(t)
  assert.throws(() => createClient({ baseUrl: 'files.example' }), TypeError)
  const mistyped = { baseURL: 'https://files.example' } as unknown as { baseUrl: string }
  assert.throws(() => createClient(mistyped), /Unknown option “baseURL”. Did you mean “baseUrl”/)
  assert.throws(() => createClient({}), TypeError)
  const { client } = await aClient(t, { baseUrl, apiKey: 'stow_…' })
  await assert.rejects(client.account(), TypeError)
  await assert.rejects(client.upload(path), TypeError)
})

test('cancelling a finished upload is refused, and its asset stays', async (t) => {
  const { client, path, release } = await aBlockedUpload(t)
  await release()
  const upload = client.upload(path)
  const asset = await upload
  await assert.rejects(upload.cancel(), (error) => isStowageError(error, 'already_uploaded'))
  assert.equal((await client.asset(asset.id)).status, 'ready')
})

test('an aborted upload rejects with the signal’s reason, and uploading the same file resumes it', async (t) => {
  const { client, path, release, puts, baseUrl, untilBlocked } = await aBlockedUpload(t)
  const controller = new AbortController()
  const upload = client.upload(path, { signal: controller.signal })
  await untilBlocked(upload)
  controller.abort()
  await assert.rejects(upload, { name: 'AbortError' })
  assert.equal(upload.progress.state, 'stopped')
  const { id } = upload
  assert.deepEqual(
    (await client.unfinished()).map((unfinished) => unfinished.id),
    [id],
  )
  const before = puts()
  await release()
  const asset = await client.upload(path)
  assert.equal(asset.id, id)
  assert.equal(puts() - before, 7)
  assert.ok((await download(baseUrl, asset.id)).equals(BYTES))
})

test('an aborted upload rejects after its state is written, and writes nothing afterward', async (t) => {
  const { api, baseUrl, storage } = await aBlockedUpload(t)
  const writes = { started: 0, ended: 0 }
  let gate: PromiseWithResolvers<void> | undefined
  const store = {
    get: async () => undefined,
    list: async () => [],
    delete: async () => {},
    async set() {
      writes.started += 1
      await gate?.promise
      writes.ended += 1
    },
  }
  const { client, folder } = await aClient(t, { baseUrl: api.url, store })
  const path = join(folder, 'lesson.mp4')
  await writeFile(path, BYTES)
  const controller = new AbortController()
  const upload = client.upload(path, {
    signal: controller.signal,
    onProgress({ state }) {
      if (state === 'sending') gate ??= Promise.withResolvers()
    },
  })
  await until('a part’s state is being written', () => writes.started > writes.ended)
  let hasRejected = false
  const rejected = assert.rejects(upload, { name: 'AbortError' }).then(() => {
    hasRejected = true
  })
  controller.abort()
  await until('the upload is stopped', () => upload.progress.state === 'stopped')
  // A request takes longer than a rejection that waits for nothing.
  await reservedAt(baseUrl)
  assert.equal(hasRejected, false)
  gate?.resolve()
  await rejected
  assert.equal(writes.ended, writes.started)
  const { started } = writes
  await until('the requests of blocked parts are closed', () => storage.waiting() === 0)
  await reservedAt(baseUrl)
  assert.equal(writes.started, started)
})

test('an aborted upload can still be cancelled', async (t) => {
  const { client, path, baseUrl, untilBlocked } = await aBlockedUpload(t)
  const controller = new AbortController()
  const upload = client.upload(path, { signal: controller.signal })
  await untilBlocked(upload)
  controller.abort()
  await assert.rejects(upload)
  await upload.cancel()
  assert.equal(await reservedAt(baseUrl), 0)
  assert.deepEqual(await client.unfinished(), [])
})

test('cancelling an upload before it starts also cancels an earlier, unfinished upload of the same file', async (t) => {
  const { client, path, baseUrl, untilBlocked } = await aBlockedUpload(t)
  const controller = new AbortController()
  const first = client.upload(path, { signal: controller.signal })
  await untilBlocked(first)
  controller.abort()
  await assert.rejects(first)

  const second = client.upload(path)
  await second.cancel()
  assert.equal(await reservedAt(baseUrl), 0)
  assert.deepEqual(await client.unfinished(), [])
  const third = client.upload(path, { signal: AbortSignal.abort() })
  await assert.rejects(third)
  await third.cancel()
  assert.equal(third.progress.state, 'cancelled')
})

test('resume: false cancels the unfinished upload and starts a new one', async (t) => {
  const { client, path, release, baseUrl, untilBlocked } = await aBlockedUpload(t)
  const controller = new AbortController()
  const first = client.upload(path, { signal: controller.signal })
  await untilBlocked(first)
  controller.abort()
  await assert.rejects(first)
  await release()
  const { id } = await client.upload(path, { resume: false })
  assert.notEqual(id, first.id)
  assert.equal(await reservedAt(baseUrl), 0)
})

test('an upload that is not awaited causes no unhandled rejection', async (t) => {
  const { client, path } = await aBlockedUpload(t)
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const upload = client.upload(path, { signal: AbortSignal.abort() })
  await until('the upload has failed', () => upload.progress.state === 'stopped')
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(rejections, [])
  await assert.rejects(upload, { name: 'AbortError' })
})

test('a second upload of the same file with the same client creates another asset', async (t) => {
  const { client, path, release } = await aBlockedUpload(t)
  await release()
  const [first, second] = await Promise.all([client.upload(path), client.upload(path)])
  assert.notEqual(first.id, second.id)
})

test('unknown products are refused before a byte is sent, and nothing is stored', async (t) => {
  const { client, path, release, puts, baseUrl } = await aBlockedUpload(t)
  await release()
  for (const attach of [{ product_ids: [7] }, { skus: ['PACK'] }]) {
    const upload = client.upload(path, { attach })
    await assert.rejects(upload, (error) => {
      assert.ok(isStowageError(error, 'invalid'))
      return Object.keys(attach).every((field) =>
        /unknown values: /.test(error.errors[field]?.[0] ?? ''),
      )
    })
  }
  assert.equal(puts(), 0)
  assert.equal(await reservedAt(baseUrl), 0)
  assert.deepEqual(await client.unfinished(), [])
})

test('products are attached by their IDs or SKUs', async (t) => {
  const { client, path, release } = await aBlockedUpload(t)
  await release()
  const products = await client.putProducts([
    { product_id: 7, variant_id: 1, name: 'Course', sku: 'COURSE' },
  ])
  const asset = await client.upload(path, { attach: { product_ids: [7] } })
  assert.deepEqual(asset.products, products)
  const bySku = await client.upload(path, { attach: { skus: ['COURSE'] } })
  assert.deepEqual(bySku.products, products)
  assert.deepEqual(await client.asset(bySku.id, { with_products: true }), bySku)
})
