import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isStowageError, type Order, type OrderRequest } from '@stowage/client'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aService, type TestService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aFaultProxy, type Fault } from './support/fault-proxy.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const BYTES = new Uint8Array(someBytes(2500))
const REQUEST: OrderRequest = {
  reference: '5123',
  order_number: '#1001',
  email: 'ada@example.com',
  lines: [{ product_id: 1, quantity: 2 }],
  max_downloads: 1,
}

/** A client of a service that sells a file as product 1. */
async function aShop({ baseUrl }: TestService, apiKey?: string) {
  const stowage = createClient({ baseUrl, apiKey })
  await stowage.putProducts([{ product_id: 1, variant_id: 11, name: 'Book' }])
  const file = await stowage.upload(BYTES, { name: 'book.pdf', attach: { product_ids: [1] } })
  return { stowage, file }
}

test('an order is created, changed, refunded, held, listed and revoked', async (t) => {
  const service = await aKeyedService(t)
  const { stowage } = await aShop(service, ADMIN_KEY)
  const created = await stowage.createOrder(REQUEST)
  assert.match(created.url ?? '', new RegExp(`^${service.baseUrl}/d/[\\w-]{32}$`))
  assert.equal((await stowage.createOrder(REQUEST)).id, created.id)
  for (const id of [created.id, '5123']) assert.deepEqual(await stowage.order(id), created)

  const expires_at = '2099-01-31T00:00:00.000Z'
  const changed = await stowage.changeOrder('5123', { expires_at, held: true, max_downloads: 3 })
  assert.deepEqual(
    [changed.status, changed.expires_at, changed.max_downloads, changed.url],
    ['held', expires_at, 3, created.url],
  )
  const refund = { lines: [{ product_id: 1, quantity: 2, refunded_quantity: 1 }], held: false }
  const [line] = (await stowage.changeOrder(created.id, refund)).lines
  assert.deepEqual([line?.quantity, line?.refunded_quantity, line?.product?.name], [2, 1, 'Book'])

  const more: Order[] = []
  for (const name of ['Ada', 'Grace', 'Jean']) {
    more.push(await stowage.createOrder({ name, lines: [{ product_id: 1 }] }))
  }
  const ids = (orders: Order[]) => orders.map(({ id }) => id)
  const newest = ids(more).reverse()
  assert.deepEqual(ids(await Array.fromAsync(stowage.orders({ limit: 1 }))), [
    ...newest,
    created.id,
  ])
  const found = await stowage.orders({ order_number: '#1001', with_assets: true }).page()
  assert.deepEqual([ids(found.data), found.data[0]?.assets], [[created.id], []])
  assert.equal((await stowage.orders({ search: 'grace', product_id: 1 }).page()).meta.total, 1)

  await stowage.revokeOrder('5123')
  await stowage.revokeOrder('5123')
  assert.deepEqual(ids((await stowage.orders({ status: 'revoked' }).page()).data), [created.id])
  await assert.rejects(stowage.order('5124'), { code: 'not_found' })
  await assert.rejects(stowage.createOrder({ lines: [{ product_id: 9 }] }), (error) => {
    assert.ok(isStowageError(error, 'invalid'))
    assert.deepEqual(Object.keys(error.errors), ['lines.0.product_id'])
    return true
  })
})

test('a download is started for a buyer, counted once, listed and refused by the limit', async (t) => {
  const { stowage, file } = await aShop(await aService(t))
  const order = await stowage.createOrder({ ...REQUEST, lines: [{ product_id: 1 }] })
  const { url, expires_at } = await stowage.startDownload('5123', file.id)
  assert.equal((await stowage.startDownload(order.id, file.id)).url, url)
  assert.ok(Date.parse(expires_at) > Date.now() + 23 * 3_600_000)
  const response = await fetch(url)
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(BYTES))
  const [download, ...others] = await Array.fromAsync(stowage.orderDownloads('5123', { limit: 1 }))
  assert.deepEqual([download?.asset_id, download?.counted, others.length], [file.id, 1, 0])
  assert.equal((await stowage.orderDownloads(order.id).page()).meta.total, 1)
  const [covered] = await stowage.orderFiles('5123')
  assert.deepEqual(
    [covered?.asset.id, covered?.downloaded, covered?.limit, covered?.open_until],
    [file.id, 1, 1, expires_at],
  )
  const [own] = (await stowage.assetDownloads(file.id, { limit: 5 }).page()).data
  assert.deepEqual([own?.id, own?.order.reference], [download?.id, '5123'])
  const { data, meta } = await stowage.downloadTotals({ by: 'asset' })
  assert.deepEqual(
    [data, meta.by],
    [[{ asset_id: file.id, filename: 'book.pdf', downloads: 1 }], 'asset'],
  )
  const days = await stowage.downloadTotals()
  assert.deepEqual([days.data[0]?.downloads, days.data[0]?.day], [1, days.meta.to])

  const held = await stowage.createOrder({ lines: [{ product_id: 1 }], held: true })
  await assert.rejects(stowage.startDownload(held.id, file.id), (error) =>
    isStowageError(error, 'order_held'),
  )
  await stowage.revokeOrder(order.id)
  await assert.rejects(stowage.startDownload(order.id, file.id), (error) =>
    isStowageError(error, 'order_revoked'),
  )
  // Starts from the first byte count again after the tenth.
  const limited = await stowage.createOrder({
    ...REQUEST,
    reference: 'x',
    lines: [],
    assets: [file.id],
  })
  const started = await stowage.startDownload(limited.id, file.id)
  for (let count = 0; count < 10; count += 1) await (await fetch(started.url)).bytes()
  const refused = await fetch(started.url, { headers: { Accept: 'application/json' } })
  await refused.body?.cancel()
  assert.equal(refused.status, 409)
})

test('assets are attached to one order, and detached', async (t) => {
  const { stowage, file } = await aShop(await aService(t))
  const link = await stowage.store({ filename: 'score.pdf', url: 'https://example.com/' })
  const { id } = await stowage.createOrder({ assets: [link.id] })
  const names = ({ assets }: { assets: { filename: string }[] }) =>
    assets.map(({ filename }) => filename).toSorted()
  assert.deepEqual(names(await stowage.attachToOrder(id, [file.id])), ['book.pdf', 'score.pdf'])
  assert.deepEqual(names(await stowage.order(id, { with_assets: true })), ['book.pdf', 'score.pdf'])
  assert.deepEqual(names(await stowage.detachFromOrder(id, [link.id])), ['book.pdf'])
  assert.equal((await stowage.order(id)).assets, undefined)
  await assert.rejects(stowage.attachToOrder(id, []), { code: 'invalid' })
})

test('the branding of the download pages is changed field by field', async (t) => {
  const stowage = createClient({ baseUrl: (await aService(t)).baseUrl })
  const changed = await stowage.changeBranding({
    name: 'Sounds',
    color: '#0b7285',
    max_downloads: 5,
  })
  const { name, color, max_downloads } = changed
  assert.deepEqual([name, color, max_downloads], ['Sounds', '#0b7285', 5])
  await stowage.changeBranding({ color: null })
  assert.deepEqual(await stowage.branding(), { ...changed, color: null })
})

test('retries create no second order and count no second download', async (t) => {
  const service = await aService(t)
  const { file } = await aShop(service)
  const faults: Fault[] = []
  const proxy = await aFaultProxy(t, {
    target: () => service.baseUrl,
    fault: () => faults.shift() ?? { kind: 'pass' },
  })
  const stowage = createClient({ baseUrl: proxy.url, retry: { firstMs: 1, longestMs: 5 } })
  faults.push({ kind: 'lose' })
  const { id } = await stowage.createOrder({ lines: [{ product_id: 1 }], max_downloads: 1 })
  assert.equal((await stowage.orders().page()).meta.total, 1)
  faults.push({ kind: 'lose' })
  await stowage.startDownload(id, file.id)
  assert.equal((await stowage.downloadTotals()).data[0]?.downloads, 1)
  faults.push({ kind: 'lose' })
  assert.equal((await stowage.changeOrder(id, { label: 'VIP' })).label, 'VIP')
  faults.push({ kind: 'lose' })
  await stowage.revokeOrder(id)
  assert.equal((await stowage.order(id)).status, 'revoked')
})

test('any reference of a shop finds its order, and text that leads to another endpoint is a TypeError', async (t) => {
  const { baseUrl } = await aService(t)
  const { stowage } = await aShop({ baseUrl } as TestService)
  for (const reference of [
    'shop/1 é',
    '../account',
    '%2e%2e',
    'a?b=c#d',
    '…',
    '👩‍👧',
    'x'.repeat(100),
  ]) {
    const { id } = await stowage.createOrder({ reference, lines: [{ product_id: 1 }] })
    assert.equal((await stowage.order(reference)).id, id, reference)
    assert.equal((await stowage.orderDownloads(reference).page()).meta.total, 0)
  }
  let requests = 0
  const other = createClient({
    baseUrl: await anHttpServer(t, (_, response) => {
      requests += 1
      response.end('{}')
    }),
  })
  for (const reference of ['', '.', '..', '\ud800', 'x'.repeat(101)]) {
    await assert.rejects(other.order(reference), TypeError)
    await assert.rejects(other.revokeOrder(reference), TypeError)
    await assert.rejects(other.orderDownloads(reference).page(), TypeError)
  }
  await assert.rejects(
    other.order(undefined as unknown as string),
    /Pass its ID, or your reference/,
  )
  await assert.rejects(other.startDownload('5123', 'book.pdf'), TypeError)
  assert.equal(requests, 0)
})
