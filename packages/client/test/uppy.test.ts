import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { stowage } from '@stowage/client/uppy'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import type { AwsS3Options } from '@uppy/aws-s3'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aPage } from './support/page.ts'
import { aProxiedService } from './support/proxied-service.ts'

/* Runs in a shared browser. */

const NO_BROWSER = await missingForBrowser()
/** The size of the parts in Uppy. */
const CHUNK = 16 * 1024 ** 2
/** Three parts. */
const BYTES = someBytes(2 * CHUNK + 1_000_000)
const PASS: Fault = { kind: 'pass' }
const isPut = ({ method }: IncomingMessage) => method === 'PUT'

interface Look {
  results: { name: string; key: string; uploadURL: string }[]
  errors: string[]
  files: { name: string; isStarted: boolean; isGhost: boolean; bytes: number }[]
}

interface UppyPageOptions {
  storage?: (request: IncomingMessage) => Fault
  products?: Record<string, { product_ids: number[] }>
}

/** Uppy in a page, with a file to upload. */
async function anUppyPage(t: TestContext, { storage, products }: UppyPageOptions = {}) {
  let puts = 0
  let renewals = 0
  const service = await aProxiedService(t, {
    settings: { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY },
    api({ method, url }) {
      if (method === 'GET' && url?.endsWith('/upload')) renewals += 1
      return PASS
    },
    storage(request) {
      if (isPut(request)) puts += 1
      return storage?.(request) ?? PASS
    },
  })
  const { client, folder } = await aClient(t, { baseUrl: service.baseUrl, apiKey: ADMIN_KEY })
  const path = join(folder, 'film.mov')
  await writeFile(path, BYTES)
  const { page, choose, call } = await aPage(t, 'uppy.js')
  const open = () => call('open', { baseUrl: service.api.url, apiKey: ADMIN_KEY, products })
  await open()
  const look = () => call<Look>('look')
  return {
    ...{ client, page, path, choose, call, open, look },
    baseUrl: service.api.url,
    puts: () => puts,
    renewals: () => renewals,
    /** Waits until this many files are uploaded, and returns the results. */
    async finished(count: number): Promise<Look['results']> {
      await until('the files are uploaded', async () => {
        const { results, errors } = await look()
        if (errors.length > 0) throw new Error(`${errors}`)
        return results.length === count
      })
      return (await look()).results
    },
    async assertStored(id: string, bytes: Buffer) {
      const stored = await (await client.download(id)).arrayBuffer()
      assert.ok(Buffer.from(stored).equals(bytes))
      assert.equal((await client.account()).reserved, 0)
    },
  }
}

test('the options match the types of @uppy/aws-s3', () => {
  const options: AwsS3Options<Record<string, unknown>, Record<string, never>> = stowage()
  assert.equal(options.shouldUseMultipart, true)
})

test('Uppy uploads files with their new names and products, including empty files', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const uppy = await anUppyPage(t, { products: { 'film.mov': { product_ids: [632910392] } } })
  const { client, path, call, choose } = uppy
  const product = { product_id: 632910392, variant_id: 808950810, name: 'A film' }
  await client.putProducts([product])
  const empty = join(await aFolder(t), 'empty.txt')
  await writeFile(empty, '')
  await choose(path, empty)
  await call('add', { 'film.mov': 'A renamed film.mov' })
  await call('command', 'upload')
  const results = await uppy.finished(2)
  const film = results.find(({ name }) => name === 'film.mov')
  const asset = await client.asset(film?.key ?? '', { with_products: true })
  assert.equal(asset.filename, 'A renamed film.mov')
  assert.deepEqual(
    asset.products?.map(({ product_id }) => product_id),
    [632910392],
  )
  assert.equal(film?.uploadURL, `${uppy.baseUrl}/api/v1/assets/${asset.id}`)
  await uppy.assertStored(asset.id, BYTES)
  const other = results.find(({ name }) => name === 'empty.txt')
  await uppy.assertStored(other?.key ?? '', Buffer.alloc(0))
  assert.equal((await client.assets().page()).meta.total, 2)
})

test('retrying a failed upload in Uppy does not send stored parts again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  let isRefusing = true
  let puts = 0
  const readable = { 'Access-Control-Allow-Origin': '*' }
  const uppy = await anUppyPage(t, {
    storage(request) {
      if (!isPut(request)) return PASS
      puts += 1
      return isRefusing && puts > 1 ? { kind: 'refuse', status: 403, headers: readable } : PASS
    },
  })
  await uppy.choose(uppy.path)
  await uppy.call('add')
  await uppy.call('command', 'upload')
  await until('the upload has failed', async () => (await uppy.look()).errors.length === 1)
  isRefusing = false
  await uppy.call('command', 'retryAll')
  const [result] = await uppy.finished(1)
  assert.equal(uppy.puts(), 4)
  await uppy.assertStored(result?.key ?? '', BYTES)
  assert.equal((await uppy.client.assets().page()).meta.total, 1)
})

test('after a reload Uppy resumes: only missing parts are sent', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  let isHolding = true
  let puts = 0
  const never: Fault = { kind: 'wait', until: new Promise(() => {}) }
  const uppy = await anUppyPage(t, {
    storage(request) {
      if (isPut(request)) puts += 1
      return isPut(request) && isHolding && puts > 1 ? never : PASS
    },
  })
  await uppy.choose(uppy.path)
  await uppy.call('add')
  await uppy.call('command', 'upload')
  await until('the second part is being sent', () => puts === 2)
  await until('Golden Retriever has saved the upload', () => uppy.call('isRemembered'))
  await uppy.page.reload()
  isHolding = false
  await uppy.open()
  await until(
    'the upload is restored',
    async () => (await uppy.look()).files[0]?.isStarted === true,
  )
  // Golden Retriever does not store large files, so the user chooses them again.
  assert.equal((await uppy.look()).files[0]?.isGhost, true)
  await uppy.choose(uppy.path)
  await uppy.call('add')
  await uppy.call('confirmRestored')
  const [result] = await uppy.finished(1)
  assert.equal(uppy.puts(), 4)
  await uppy.assertStored(result?.key ?? '', BYTES)
})

test('cancelling in Uppy leaves nothing at the service, and the same file can be uploaded again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  let isHolding = true
  const never: Fault = { kind: 'wait', until: new Promise(() => {}) }
  const uppy = await anUppyPage(t, {
    storage: (request) => (isPut(request) && isHolding ? never : PASS),
  })
  await uppy.choose(uppy.path)
  await uppy.call('add')
  await uppy.call('command', 'upload')
  await until('a part is being sent', () => uppy.puts() === 1)
  await uppy.call('command', 'cancelAll')
  await until('nothing is reserved', async () => (await uppy.client.account()).reserved === 0)
  isHolding = false
  await uppy.call('add')
  await uppy.call('command', 'upload')
  const [result] = await uppy.finished(1)
  await uppy.assertStored(result?.key ?? '', BYTES)
})

test('URLs that are about to expire are signed again during an upload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const uppy = await anUppyPage(t, {
    storage: (request) => (isPut(request) ? { kind: 'wait', until: released } : PASS),
  })
  await uppy.choose(uppy.path)
  await uppy.call('add')
  await uppy.call('command', 'upload')
  await until('the first part is being sent', () => uppy.puts() === 1)
  assert.equal(uppy.renewals(), 0)
  await uppy.page.evaluate('Date.now = () => performance.timeOrigin + 11 * 3_600_000')
  release()
  const [result] = await uppy.finished(1)
  await uppy.assertStored(result?.key ?? '', BYTES)
  assert.ok(uppy.renewals() > 0)
})
