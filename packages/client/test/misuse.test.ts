import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient as createBrowserClient } from '@stowage/client'
import { createClient, isStowageError, type NodeClient } from '@stowage/client/node'
import { stowage as uppyOptions } from '@stowage/client/uppy'
import * as protocol from '@stowage/protocol'
import { anHttpServer, freePort } from '@stowage/testing/machine/ports'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

const QUIET = { STOWAGE_LOG: 'warn' }
const BYTES = new Uint8Array(someBytes(1000))

/** Calls that put an ID into a path. */
function callsWith(
  client: NodeClient,
  id: string,
  folder: string,
): Record<string, () => Promise<unknown>> {
  return {
    asset: () => client.asset(id),
    change: () => client.change(id, { filename: 'x' }),
    delete: () => client.delete(id),
    attach: () => client.attach(id, { product_ids: [1] }),
    detach: () => client.detach(id, { product_ids: [1] }),
    download: () => client.download(id),
    address: () => client.address(id),
    product: () => client.product(id),
    deleteProduct: () => client.deleteProduct(id),
    revokeKey: () => client.revokeKey(id),
    cancelUpload: () => client.cancelUpload(id),
    upload: () => client.upload(BYTES, { resume: id }),
    downloadTo: () => client.downloadTo(id, folder),
    replace: () => client.replace(id, BYTES),
    versions: () => client.versions(id),
    restore: () => client.restore(id),
    deleteVersion: () => client.deleteVersion(id, 1),
    productsOf: () => client.productsOf(id).page(),
    productGroupsOf: () => client.productGroupsOf(id).page(),
    assetsOf: () => client.assetsOf(id).page(),
    assetDownloads: () => client.assetDownloads(id).page(),
    webhook: () => client.webhook(id),
    changeWebhook: () => client.changeWebhook(id, { description: 'x' }),
    deleteWebhook: () => client.deleteWebhook(id),
    rotateWebhookSecret: () => client.rotateWebhookSecret(id),
    pingWebhook: () => client.pingWebhook(id),
    deliveries: () => client.deliveries(id).page(),
    delivery: () => client.delivery(id, id),
    redeliver: () => client.redeliver(id, id),
  }
}

test('an ID that is not a UUID is a TypeError, and no request is made', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  let requests = 0
  const { client, folder } = await aClient(t, {
    baseUrl,
    fetch: (...input) => {
      requests += 1
      return fetch(...input)
    },
  })
  const [product] = await client.putProducts([{ product_id: 1, variant_id: 1, name: 'Presets' }])
  const productId = product?.id ?? ''
  requests = 0
  for (const id of [
    `../products/${productId}`,
    '../account',
    '',
    `${productId}/`,
    `${productId}?`,
  ]) {
    for (const [name, call] of Object.entries(callsWith(client, id, folder))) {
      await assert.rejects(call, TypeError, `${name} with “${id}”`)
    }
  }
  assert.equal(requests, 0)
  assert.equal((await client.product(productId)).id, productId)
})

test('an invalid range is a TypeError instead of a download of the whole file', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  const { id } = await client.upload(BYTES)
  for (const range of [
    { start: 0, end: 0 },
    { start: -1 },
    { start: 5, end: 5 },
    { start: 5, end: 2 },
    { start: 0.5 },
    { start: Number.NaN, end: 3 },
    { start: 0, end: Infinity },
  ]) {
    await assert.rejects(client.download(id, { range }), TypeError, JSON.stringify(range))
  }
  const first = await client.download(id, { range: { start: 0, end: 1 } })
  assert.equal((await first.arrayBuffer()).byteLength, 1)
})

test('invalid options are refused when the client is created', () => {
  const baseUrl = 'http://127.0.0.1:4000'
  const wrong: [options: object, message: RegExp][] = [
    [{}, /baseUrl.*createClient\(\{ baseUrl: 'https:/],
    [{ baseUrl: 'files.example' }, /baseUrl “files.example”/],
    [{ baseUrl: 'ftp://files.example' }, /baseUrl/],
    [{ baseUrl: 'https://files.example/?a=1' }, /baseUrl/],
    [{ baseUrl: 'https://user:secret@files.example' }, /baseUrl/],
    [{ baseUrl: 'https://files example' }, /baseUrl/],
    [{ baseUrl, apikey: 'stow_x' }, /“apikey”.*apiKey/],
    [{ baseUrl, retry: { retries: 3 } }, /“retries”.*tries/],
  ]
  for (const [options, message] of wrong) {
    const isExpected = (error: unknown) => error instanceof TypeError && message.test(error.message)
    assert.throws(() => createClient(options as { baseUrl: string }), isExpected)
    if (Object.keys(options).length > 0) {
      assert.throws(() => createBrowserClient(options), TypeError)
      assert.throws(() => uppyOptions(options), TypeError)
    }
  }
  createClient({ baseUrl: `${baseUrl}/stowage/`, parallel: 2, stateFolder: '/tmp' })
  createBrowserClient({ baseUrl: '/stowage' })
  createBrowserClient()
})

test('an API key that is not a valid header value throws a TypeError, and spaces around a key are ignored', async (t) => {
  const received: unknown[] = []
  const baseUrl = await anHttpServer(t, ({ headers }, response) => {
    received.push(headers.authorization)
    response.end(JSON.stringify({ data: {} }))
  })
  for (const apiKey of ['stow_\u2026', 'stow_a\nb', 'stow_\0']) {
    const { client } = await aClient(t, { baseUrl, apiKey })
    await assert.rejects(client.account(), TypeError)
    await assert.rejects(createBrowserClient({ baseUrl, apiKey }).account(), TypeError)
  }
  const { client } = await aClient(t, { baseUrl, apiKey: 'stow_x\n' })
  await client.account()
  assert.deepEqual(received, ['Bearer stow_x'])
})

test('an error contains the request ID that the service logs', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  let requestId: string | null = null
  const { client } = await aClient(t, {
    baseUrl,
    async fetch(...input) {
      const response = await fetch(...input)
      requestId = response.headers.get('x-request-id')
      return response
    },
  })
  await assert.rejects(client.store({ filename: '', url: '' }), (error) => {
    assert.ok(isStowageError(error, 'invalid') && error.requestId)
    return error.requestId === requestId
  })
})

test('retries can be set for each call', async (t) => {
  let requests = 0
  const baseUrl = await anHttpServer(t, (_, response) => {
    requests += 1
    response.writeHead(503).end()
  })
  const { client } = await aClient(t, { baseUrl })
  await assert.rejects(client.account({ retry: { tries: 1 } }))
  assert.equal(requests, 1)
  await assert.rejects(client.assets({ retry: { tries: 3 } }).page())
  assert.equal(requests, 4)
  await assert.rejects(client.asset(crypto.randomUUID(), { retry: { tries: 2 } }))
  assert.equal(requests, 6)
})

/** URLs where Stowage does not respond, and the advice that the error gives. */
async function wrongServices(): Promise<[url: string, advice: RegExp][]> {
  const port = await freePort()
  return [
    ['http://stowage.invalid', /host name is unknown.*ENOTFOUND|EAI_AGAIN/],
    [`http://127.0.0.1:${port}`, /stowage serve.*port in the URL.*ECONNREFUSED/],
  ]
}

test('an upload that never reaches the service fails soon, with advice on what to check', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const services: [string, RegExp][] = [
    ...(await wrongServices()),
    [baseUrl.replace('http:', 'https:'), /begins with http:\/\//],
  ]
  for (const [url, advice] of services) {
    const { client, folder } = await aClient(t, {
      baseUrl: url,
      retry: { giveUpAfterMs: 3_600_000 },
    })
    const path = join(folder, 'a.bin')
    await writeFile(path, BYTES)
    await assert.rejects(client.upload(path), (error) => {
      assert.ok(isStowageError(error, 'network'))
      assert.match(error.message, advice)
      return true
    })
  }
})

test('an upload to a server that is not Stowage fails soon', async (t) => {
  const baseUrl = await anHttpServer(t, (_, response) => response.end('<html>Welcome!</html>'))
  const retry = { giveUpAfterMs: 3_600_000 }
  const { client } = await aClient(t, { baseUrl, retry })
  await assert.rejects(client.upload(BYTES), {
    code: 'bad_response',
    message: /Check the base URL/,
  })
})

test('an upload whose storage is unreachable fails soon, and the message names the storage', async (t) => {
  const { baseUrl } = await aService(t, {
    ...QUIET,
    STOWAGE_STORAGE_URL: `http://127.0.0.1:${await freePort()}`,
  })
  const retry = { giveUpAfterMs: 3_600_000 }
  const { client, folder } = await aClient(t, { baseUrl, retry })
  const path = join(folder, 'a.bin')
  await writeFile(path, BYTES)
  await assert.rejects(client.upload(path), {
    code: 'network',
    message: /No connection to the storage/,
  })
  assert.equal((await client.unfinished()).length, 1)
})

test('an unknown option or filter is a TypeError that names the nearest one, and no request is made', async (t) => {
  let requests = 0
  const baseUrl = await anHttpServer(t, (_, response) => {
    requests += 1
    response.end(JSON.stringify({ data: {} }))
  })
  const { client, folder } = await aClient(t, { baseUrl })
  const id = crypto.randomUUID()
  // biome-ignore lint/suspicious/noExplicitAny: the types refuse these calls, too
  const untyped = client as any
  const calls: [call: () => Promise<unknown>, message: RegExp][] = [
    [() => untyped.upload(BYTES, { filename: 'a.pdf' }), /option “filename”.*mean “name”/],
    [() => untyped.upload(BYTES, { Mime: 'a/b' }), /option “Mime”.*mean “mime”/],
    [() => untyped.upload(BYTES, { retry: { retries: 1 } }), /option “retries”.*mean “tries”/],
    [() => untyped.replace(id, BYTES, { path: 'x' }), /option “path”/],
    [() => untyped.replace(id, BYTES, { onprogress() {} }), /“onprogress”.*mean “onProgress”/],
    [() => untyped.assets({ colour: 'red' }).page(), /filter “colour”/],
    [() => untyped.assets({ file_name: 'x' }).page(), /filter “file_name”.*mean “filename”/],
    [() => Array.fromAsync(untyped.assets({ skus: 'x' })), /filter “skus”.*mean “sku”/],
    [() => untyped.asset(id, { with_product: true }), /“with_product”.*mean “with_products”/],
    [() => untyped.product(id, { with_products: true }), /“with_products”/],
    [() => untyped.products({ productId: 1 }).page(), /“productId”.*mean “product_id”/],
    [() => untyped.productGroups({ with_assets: true }).page(), /“with_assets”/],
    [() => untyped.productsOf(id, { search: 'x' }).page(), /“search”/],
    [() => untyped.assetsOf(id, { pages: 2 }).page(), /“pages”.*mean “page”/],
    [() => untyped.productGroupsOf(id, { pages: 2 }).page(), /“pages”.*mean “page”/],
    [() => untyped.trash({ sku: 'x' }).page(), /“sku”/],
    [() => untyped.uploads({ name: 'x' }).page(), /“name”.*mean “filename”/],
    [() => untyped.deliveries(id, { state: 'failed' }).page(), /“state”.*mean “status”/],
    [() => untyped.listEvents({ types: 'asset.ready' }), /“types”.*mean “type”/],
    [() => untyped.events({ types: 'asset.ready' }).next(), /“types”.*mean “type”/],
    [() => untyped.orders({ number: '1' }).page(), /“number”.*mean “order_number”/],
    [() => untyped.order(id, { withAssets: true }), /“withAssets”.*mean “with_assets”/],
    [() => untyped.createOrder({ assets: [id] }, { idempotencyKey: 'x' }), /“idempotencyKey”/],
    [() => untyped.orderDownloads(id, { form: '2026-01-01' }).page(), /“form”/],
    [() => untyped.downloadTotals({ form: '2026-01-01' }), /filter “form”/],
    [() => untyped.delete(id, { permanant: true }), /“permanant”/],
    [() => untyped.account({ timeout: 5 }), /“timeout”.*mean “timeoutMs”/],
    [() => untyped.cancelUpload(id, { uploadId: id }), /“uploadId”/],
    [() => untyped.download(id, { ranges: {} }), /“ranges”/],
    [() => untyped.downloadTo(id, folder, { overWrite: true }), /“overWrite”.*mean “overwrite”/],
  ]
  for (const [call, message] of calls) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof TypeError, `${message} ${error}`)
      assert.match(error.message, message)
      return true
    })
  }
  assert.equal(requests, 0)
})

test('the client knows every filter of the protocol', async (t) => {
  const queries: string[] = []
  const baseUrl = await anHttpServer(t, ({ url }, response) => {
    queries.push(url ?? '')
    response.end(JSON.stringify({ data: [], meta: {} }))
  })
  const { client } = await aClient(t, { baseUrl })
  const id = crypto.randomUUID()
  // biome-ignore lint/suspicious/noExplicitAny: the values do not matter
  const lists: [schema: { properties: object }, list: (query: any) => Promise<unknown>][] = [
    [protocol.ListAssetsQuery, (query) => client.assets(query).page()],
    [protocol.ListUploadsQuery, (query) => client.uploads(query).page()],
    [protocol.ListProductsQuery, (query) => client.products(query).page()],
    [protocol.ListProductGroupsQuery, (query) => client.productGroups(query).page()],
    [protocol.ListDeliveriesQuery, (query) => client.deliveries(id, query).page()],
    [protocol.ListEventsQuery, (query) => client.listEvents(query)],
    [protocol.ListOrdersQuery, (query) => client.orders(query).page()],
    [protocol.ReadOrderQuery, (query) => client.order(id, query)],
    [protocol.PageOnlyQuery, (query) => client.orderDownloads(id, query).page()],
    [protocol.DownloadTotalsQuery, (query) => client.downloadTotals(query)],
    [protocol.PageOnlyQuery, (query) => client.productsOf(id, query).page()],
    [protocol.GroupPageOnlyQuery, (query) => client.productGroupsOf(id, query).page()],
    [protocol.ReadAssetQuery, (query) => client.asset(id, query)],
    [protocol.ReadProductQuery, (query) => client.product(id, query)],
  ]
  for (const [{ properties }, list] of lists) {
    const names = Object.keys(properties)
    await list(Object.fromEntries(names.map((name) => [name, 'x'])))
    const sent = new URL(queries.at(-1) ?? '', baseUrl).searchParams
    assert.deepEqual([...sent.keys()].toSorted(), names.toSorted())
  }
})
