import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Asset,
  type AssetPage,
  createClient,
  isStowageError,
  type ListAssetsQuery,
  StowageError,
} from '@stowage/client'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aFaultProxy, type Fault } from './support/fault-proxy.ts'

const KEYED = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
const RETRY = { firstMs: 1, longestMs: 5 }

test('the client manages link assets, products, attachments, keys and unfinished uploads', async (t) => {
  const { baseUrl } = await aService(t, KEYED)
  const stowage = createClient({ baseUrl: `${baseUrl}/api/v1/`, apiKey: ADMIN_KEY })
  const link = await stowage.store({
    filename: 'a.zip',
    url: 'https://example.com/a.zip',
    size: '10MB',
  })
  assert.deepEqual([link.is_link, link.bytes], [true, 10_000_000])
  assert.equal((await stowage.change(link.id, { filename: 'b.zip' })).filename, 'b.zip')
  const [product] = await stowage.putProducts([
    { product_id: 1, variant_id: 2, name: 'Presets', sku: 'P-1', tags: ['lr'] },
  ])
  const attached = await stowage.attach(link.id, { product_ids: [1] })
  assert.deepEqual(attached.products, [product])
  assert.deepEqual((await stowage.asset(link.id, { with_products: true })).products, [product])
  assert.equal((await stowage.asset(link.id)).products, undefined)
  const shown = await stowage.product(product?.id ?? '', { with_assets: true })
  assert.equal(shown.assets?.[0]?.id, link.id)
  assert.deepEqual(await Array.fromAsync(stowage.productsOf(link.id)), [product])
  const assetsOf = await Array.fromAsync(stowage.assetsOf(product?.id ?? '', { limit: 1 }))
  assert.deepEqual([assetsOf[0]?.id, shown.assets_total], [link.id, 1])
  assert.equal((await stowage.products({ sku: 'P-1', tag: 'LR' }).page()).meta.total, 1)
  const page: AssetPage = await stowage.assets({ attached: true, type: 'link' }).page()
  assert.equal(page.data[0]?.id, link.id)
  assert.deepEqual((await stowage.detach(link.id, { variant_ids: [2] })).products, [])
  assert.deepEqual((await stowage.attach(link.id, { skus: ['P-1'] })).products, [product])
  await stowage.deleteProduct(product?.id ?? '')
  await stowage.delete(link.id)
  assert.equal((await stowage.account()).assets, 0)
  const key = await stowage.createKey({ name: 'shop', scope: 'read' })
  assert.match(key.secret, /^stow_/)
  assert.deepEqual(await Array.fromAsync(stowage.uploads({ filename: 'a.zip' })), [])
  assert.equal((await stowage.uploads().page()).meta.total, 0)
  await stowage.revokeKey(key.id)
  assert.ok((await stowage.keys()).find(({ id }) => id === key.id)?.revoked_at)
})

test('assets are moved to the trash, listed there, restored and removed', async (t) => {
  const { baseUrl } = await aService(t)
  const stowage = createClient({ baseUrl })
  await stowage.putProducts([{ product_id: 1, variant_id: 2, name: 'Presets' }])
  const ids: string[] = []
  for (const name of ['a.zip', 'b.zip', 'c.zip']) {
    const { id } = await stowage.upload(new Blob([name]), { name, attach: { product_ids: [1] } })
    ids.push(id)
  }
  const [first = '', second = '', third = ''] = ids
  const trashed = async () =>
    (await Array.fromAsync(stowage.trash({ limit: 1 }))).map(({ id }) => id)
  await stowage.delete(first)
  await stowage.delete(second)
  assert.deepEqual(await trashed(), [second, first])
  const [deleted] = (await stowage.trash({ filename: 'B.' }).page()).data
  assert.deepEqual([deleted?.id, typeof deleted?.removed_after], [second, 'string'])
  assert.ok(Date.parse(deleted?.deleted_at ?? '') > 0)
  assert.deepEqual([(await stowage.account()).stored, (await stowage.account()).trash], [5, 10])
  await assert.rejects(stowage.asset(first), { code: 'not_found' })

  const restored = await stowage.restore(first)
  assert.deepEqual([restored.id, restored.status], [first, 'ready'])
  assert.equal((await stowage.asset(first, { with_products: true })).products?.length, 1)
  const bulk = await stowage.bulk({ action: 'restore', ids: [first, second] })
  assert.deepEqual(bulk, { action: 'restore', assets: 2 })
  await stowage.bulk({ action: 'delete', permanent: true, ids: [first] })
  await assert.rejects(stowage.restore(first), { code: 'not_found' })
  await assert.rejects(stowage.bulk({ action: 'delete', ids: [first, second] }), (error) => {
    assert.ok(isStowageError(error, 'invalid'))
    assert.match(error.message, /ids/)
    return true
  })

  await stowage.deleteAll()
  assert.deepEqual(new Set(await trashed()), new Set([second, third]))
  await stowage.delete(third, { permanent: true })
  await stowage.emptyTrash()
  await stowage.emptyTrash()
  assert.deepEqual(await trashed(), [])
  assert.equal((await stowage.account()).trash, 0)
})

test('a change of all matches reports its progress, waits until it is done, and can be undone', async (t) => {
  const { baseUrl, stopJobs } = await aService(t)
  const stowage = createClient({ baseUrl })
  const link = { filename: 'a.zip', url: 'https://example.com/', path: 'a' }
  for (let count = 0; count < 3; count += 1) await stowage.store(link)
  const filter = { path: 'a' }
  const seen: number[] = []
  const onProgress = ({ done }: { done: number }) => seen.push(done)
  const change = { action: 'tag' as const, filter, expected: 3, tags: ['autumn'] }
  const tagged = await stowage.bulk(change, { onProgress })
  assert.deepEqual([tagged.status, tagged.changed, seen.at(-1)], ['finished', 3, 3])
  assert.deepEqual(await stowage.bulkJob(tagged.id), tagged)
  const undone = await stowage.undoBulk(tagged.id)
  assert.deepEqual([undone.action, undone.changed, undone.undoes], ['untag', 3, tagged.id])
  assert.deepEqual(
    (await stowage.bulkJobs()).map(({ id }) => id),
    [undone.id, tagged.id],
  )
  assert.deepEqual(await stowage.cancelBulk(undone.id), undone)
  await assert.rejects(stowage.bulk({ ...change, expected: 9 }), { code: 'selection_changed' })

  await Promise.all(Array.from({ length: 600 }, () => stowage.store(link)))
  await stopJobs()
  const waiting = new AbortController()
  const large = { action: 'delete', filter, expected: 603 } as const
  const aborted = stowage.bulk(large, {
    signal: waiting.signal,
    onProgress: ({ done, total }) => done < total && waiting.abort(),
  })
  await assert.rejects(aborted, { name: 'AbortError' })
  const [job] = await stowage.bulkJobs()
  assert.ok(job?.status === 'running' && job.done >= 500)
  assert.equal((await stowage.cancelBulk(job.id)).status, 'cancelled')
})

test('folders are listed level by level, and moved', async (t) => {
  const { baseUrl } = await aService(t)
  const stowage = createClient({ baseUrl })
  const link = { filename: 'a.zip', url: 'https://example.com/' }
  for (const path of ['a', 'a/b', 'a/c']) await stowage.store({ ...link, path })
  const { data, meta } = await stowage.folders({ path: 'a', limit: 1 })
  assert.deepEqual([data.map(({ path }) => path), meta.next_after], [['a/b'], 'b'])
  const next = await stowage.folders({ path: 'a', after: 'b' })
  assert.deepEqual([next.data.map(({ name }) => name), next.meta.next_after], [['c'], null])
  const inFolder = await stowage.assets({ path: 'a', below: false }).page()
  assert.equal(inFolder.meta.total, 1)

  const moved = await stowage.moveFolder({ from: 'a', to: 'x/y' })
  assert.deepEqual([moved.status, moved.moved], ['moved', 3])
  assert.deepEqual(await stowage.folderMoves(), [moved])
  await stowage.bulk({ action: 'move', ids: [inFolder.data[0]?.id ?? ''], path: 'x' })
  assert.equal((await stowage.assets({ path: 'x/y' }).page()).meta.total, 2)
  await assert.rejects(stowage.moveFolder({ from: 'x/y', to: 'x' }), { code: 'folder_exists' })
})

test('iterating over a listing returns every asset once, page by page, and no request is made before it starts', async (t) => {
  const { baseUrl } = await aService(t)
  let calls = 0
  const stowage = createClient({
    baseUrl,
    fetch: (...input) => {
      calls += 1
      return fetch(...input)
    },
  })
  for (let count = 0; count < 7; count += 1) {
    await stowage.store({ filename: `${count}.zip`, url: 'https://example.com/' })
  }
  const before = calls
  const query: ListAssetsQuery = { limit: 3, sort: 'filename' }
  const listing = stowage.assets(query)
  assert.equal(calls, before)
  const names: string[] = []
  for await (const { filename } of listing) {
    names.push(filename)
    // An asset added at the front shifts the others. Each is still returned once.
    if (names.length === 2) await stowage.store({ filename: '!.zip', url: 'https://example.com/' })
  }
  assert.deepEqual(names, ['0.zip', '1.zip', '2.zip', '3.zip', '4.zip', '5.zip', '6.zip'])
  assert.equal(calls - before, 4) // Three pages, and the asset that was added.
  const page = await listing.page(2)
  assert.deepEqual([page.meta.current_page, page.meta.total, page.data.length], [2, 8, 3])
})

test('a listing starts at the page of its query, and page(n) reads another page', async (t) => {
  const { baseUrl } = await aService(t)
  const stowage = createClient({ baseUrl })
  for (let count = 0; count < 7; count += 1) {
    await stowage.store({ filename: `${count}.zip`, url: 'https://example.com/' })
  }
  const listing = stowage.assets({ limit: 2, page: 2, sort: 'filename' })
  const names = (assets: Asset[]) => assets.map(({ filename }) => filename)
  assert.deepEqual(names((await listing.page()).data), ['2.zip', '3.zip'])
  assert.deepEqual(names((await listing.page(1)).data), ['0.zip', '1.zip'])
  const rest = await Array.fromAsync(listing)
  assert.deepEqual(names(rest), ['2.zip', '3.zip', '4.zip', '5.zip', '6.zip'])
  // Without `limit`, a page has 25 items.
  const variants = Array.from({ length: 27 }, (_, variant_id) => ({ product_id: 1, variant_id }))
  await stowage.putProducts(variants.map((variant) => ({ ...variant, name: 'Presets' })))
  assert.equal((await Array.fromAsync(stowage.products({ page: 2 }))).length, 2)
})

test('deleting or attaching assets while iterating skips none', async (t) => {
  const { baseUrl } = await aService(t)
  const stowage = createClient({ baseUrl })
  await stowage.putProducts([{ product_id: 1, variant_id: 1, name: 'Presets' }])
  for (let count = 0; count < 10; count += 1) {
    await stowage.store({ filename: `${count}.zip`, url: 'https://example.com/' })
  }
  let attached = 0
  for await (const { id } of stowage.assets({ attached: false, limit: 3 })) {
    await stowage.attach(id, { product_ids: [1] })
    attached += 1
  }
  assert.equal(attached, 10)
  for await (const { id } of stowage.assets({ sort: '-filename', limit: 3 })) {
    await stowage.delete(id)
  }
  assert.equal((await stowage.account()).assets, 0)
  for await (const { id } of stowage.products({ limit: 1 })) await stowage.deleteProduct(id)
  assert.equal((await stowage.products().page()).meta.total, 0)
})

test('products are listed with all variants, and the products of an asset with the attached variants', async (t) => {
  const { baseUrl } = await aService(t)
  const stowage = createClient({ baseUrl })
  const variants = [11, 12, 13].map((variant_id) => ({ product_id: 1, variant_id, name: 'Drums' }))
  await stowage.putProducts([...variants, { product_id: 2, variant_id: 21, name: 'Piano' }])
  const { id } = await stowage.store({ filename: 'a.zip', url: 'https://example.com/' })
  await stowage.attach(id, { variant_ids: [11, 12] })
  const groups = await Array.fromAsync(stowage.productGroups({ search: 'dru', limit: 1 }))
  assert.deepEqual(
    groups.map((group) => [group.product_id, group.variants.length, group.assets_total]),
    [[1, 3, 1]],
  )
  const { data, meta } = await stowage.productGroupsOf(id).page()
  assert.deepEqual([meta.total, data[0]?.attached_total, data[0]?.variants_total], [1, 2, 3])
  const all = await Array.fromAsync(stowage.productGroups({ limit: 1 }))
  assert.deepEqual(
    all.map(({ product_id }) => product_id),
    [2, 1],
  )
})

test('an error response becomes a StowageError with the code and fields of the service', async (t) => {
  const { baseUrl } = await aService(t, KEYED)
  const withoutKey = createClient({ baseUrl })
  await assert.rejects(withoutKey.account(), (error) => isStowageError(error, 'unauthenticated'))
  const stowage = createClient({ baseUrl, apiKey: ADMIN_KEY })
  await assert.rejects(stowage.store({ filename: '', url: '' }), (error) => {
    assert.ok(error instanceof StowageError && isStowageError(error, 'invalid'))
    assert.equal(error.status, 422)
    assert.deepEqual(Object.keys(error.errors).sort(), ['filename', 'url'])
    return true
  })
  const unreachable = createClient({ baseUrl: 'http://127.0.0.1:1', retry: RETRY })
  await assert.rejects(unreachable.account(), (error) => isStowageError(error, 'network'))
  assert.equal(isStowageError(new Error('x')), false)
})

test('calls are retried, and create nothing twice', async (t) => {
  const { baseUrl } = await aService(t)
  const faults: Fault[] = []
  const proxy = await aFaultProxy(t, {
    target: () => baseUrl,
    fault: () => faults.shift() ?? { kind: 'pass' },
  })
  const stowage = createClient({ baseUrl: proxy.url, retry: RETRY })
  const link = { filename: 'a.zip', url: 'https://example.com/' }
  faults.push({ kind: 'lose' })
  const { id } = await stowage.store(link)
  faults.push({ kind: 'lose' })
  const { secret } = await stowage.createKey({ name: 'shop', scope: 'read' })
  assert.match(secret, /^stow_/)
  faults.push({ kind: 'lose' })
  assert.match((await stowage.createUploadToken({ max_bytes: 1 })).token, /^stowup_/)
  faults.push({ kind: 'lose' })
  assert.match((await stowage.createWebhook({ url: link.url })).secret, /^whsec_/)
  faults.push({ kind: 'refuse', status: 429, headers: { 'Retry-After': '0' } })
  await stowage.store(link)
  assert.equal((await stowage.assets().page()).meta.total, 2)
  assert.equal((await stowage.uploadTokens().page()).meta.total, 1)
  assert.deepEqual([(await stowage.keys()).length, (await stowage.webhooks()).length], [1, 1])
  faults.push({ kind: 'refuse', status: 500 }, { kind: 'cut' })
  assert.equal((await stowage.asset(id)).id, id)
  faults.push({ kind: 'lose' })
  await stowage.delete(id)
  await assert.rejects(stowage.delete(id), (error) => isStowageError(error, 'not_found'))
})

test('an aborted call rejects with the signal’s reason, and a slow one with timeout', async (t) => {
  const proxy = await aFaultProxy(t, { target: () => '', fault: () => ({ kind: 'stall' }) })
  const stowage = createClient({ baseUrl: proxy.url })
  const reason = new Error('enough')
  const controller = new AbortController()
  const call = stowage.account({ signal: controller.signal })
  controller.abort(reason)
  await assert.rejects(call, reason)
  const withTimeout = createClient({ baseUrl: proxy.url, timeoutMs: 20, retry: RETRY })
  await assert.rejects(withTimeout.account(), (error) => isStowageError(error, 'timeout'))
})

test('a file can be downloaded as a whole or in ranges', async (t) => {
  const { baseUrl } = await aService(t, { ...KEYED, STOWAGE_CHUNK_SIZE: '1000' })
  const stowage = createClient({ baseUrl, apiKey: ADMIN_KEY })
  const bytes = new Uint8Array(someBytes(5000))
  const { id } = await stowage.upload(bytes, { name: 'five.bin' })
  const read = async (response: Response) => Buffer.from(await response.arrayBuffer())
  assert.ok((await read(await stowage.download(id))).equals(bytes))
  const part = await stowage.download(id, { range: { start: 10, end: 2010 } })
  assert.equal(part.status, 206)
  assert.ok((await read(part)).equals(bytes.subarray(10, 2010)))
  const rest = await stowage.download(id, { range: { start: 4990 } })
  assert.ok((await read(rest)).equals(bytes.subarray(4990)))
})
