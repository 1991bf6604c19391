import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Asset, Product } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  attach,
  productsFrom,
  putProduct,
  putProducts,
  storeLink,
} from '@stowage/testing/service/shop'
import { API, callUrl } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

const COUNT = 11

/** Names and sizes repeat, so that the ID determines the order of assets with equal values. */
async function fill(service: TestService): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < COUNT; index += 1) {
    const link = { filename: `pack ${index % 5}.zip`, size: index % 3 }
    ids.push((await storeLink(service, link)).id)
  }
  return ids
}

async function aFilledService(t: TestContext) {
  const service = await aService(t)
  return { service, ids: await fill(service) }
}

/** Reads all pages with `after`, and calls `visit` for each page before it requests the next one. */
async function readPages(
  { call }: TestService,
  path: string,
  visit: (rows: { id: string }[]) => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let after = ''
  do {
    const { status, body } = await call('GET', `${API}${path}${after}`)
    assert.equal(status, 200, JSON.stringify(body))
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    await visit(body.data)
    after = body.meta.next_after === null ? '' : `&after=${body.meta.next_after}`
  } while (after !== '')
  return seen
}

test('deleting assets while paging through them skips none, with any sort order and filters', async (t) => {
  const service = await aService(t)
  const { call } = service
  for (const query of [
    'sort=created_at',
    'sort=-created_at&filename=p',
    'sort=filename&filename=pack',
    'sort=-filename',
    'sort=bytes&type=link&attached=false',
    'sort=-bytes&filename=pack',
  ]) {
    const path = `/assets?limit=4&${query}`
    const ids = new Set(await fill(service))
    const inOrder = (await readPages(service, path)).filter((id) => ids.has(id))
    assert.equal(inOrder.length, COUNT)
    const visited = await readPages(service, path, async (rows) => {
      for (const { id } of rows) await call('DELETE', `${API}/assets/${id}`)
      await storeLink(service, { filename: 'pack 2.zip', size: 1 })
    })
    const old = visited.filter((id) => ids.has(id))
    assert.deepEqual(old, inOrder, query)
  }
})

test('attaching products while paging through the assets without products skips none', async (t) => {
  const { service, ids } = await aFilledService(t)
  const { id: product } = await putProduct(service, { variant_id: 1 })
  const visited = await readPages(service, '/assets?limit=5&attached=false', async (rows) => {
    for (const { id } of rows) await attach(service, id, { products: [product] })
  })
  assert.deepEqual(visited, ids.toReversed())
})

test('detaching assets while paging through the assets of a product skips none', async (t) => {
  const { service, ids } = await aFilledService(t)
  const { id: product } = await putProduct(service, { variant_id: 1, sku: 'PACK' })
  for (const id of ids) await attach(service, id, { products: [product] })
  const visited = await readPages(service, '/assets?limit=5&sku=PACK', async (rows) => {
    for (const { id } of rows) {
      await service.call('POST', `${API}/assets/${id}/detach`, { products: [product] })
    }
  })
  assert.deepEqual(visited, ids.toReversed())
})

test('deleting products while paging through them skips none', async (t) => {
  const service = await aService(t)
  const products = await putProducts(service, productsFrom(1, COUNT))
  const visited = await readPages(service, '/products?limit=4&vendor=sounds', async (rows) => {
    for (const { id } of rows) await service.call('DELETE', `${API}/products/${id}`)
  })
  const newestFirst = products
    .map(({ id }: Product) => id)
    .toSorted()
    .toReversed()
  assert.deepEqual(visited, newestFirst)
})

test('a page after a cursor has the total and a link to the next page, but no page number', async (t) => {
  const { service, ids } = await aFilledService(t)
  const after = ids.at(-3) ?? ''
  const url = `${service.baseUrl}${API}/assets?limit=4&after=${after}&type=link`
  const { body } = await callUrl(url)
  assert.deepEqual(
    body.data.map(({ id }: Asset) => id),
    ids.toReversed().slice(3, 7),
  )
  const next = `${service.baseUrl}${API}/assets?limit=4&after=${ids.at(-7)}&type=link`
  const page = (number: number) =>
    `${service.baseUrl}${API}/assets?limit=4&type=link&page=${number}`
  assert.deepEqual(body.links, { first: page(1), last: page(3), prev: null, next })
  assert.deepEqual(body.meta, {
    current_page: 0,
    from: 0,
    to: 0,
    last_page: 3,
    per_page: 4,
    total: COUNT,
    total_is_exact: true,
    total_at_least: COUNT,
    path: `${service.baseUrl}${API}/assets`,
    links: [
      { url: null, label: '« Previous', active: false },
      { url: next, label: 'Next »', active: false },
    ],
    next_after: ids.at(-7),
  })
  const last = await callUrl(`${service.baseUrl}${API}/assets?after=${ids[4]}&limit=4`)
  assert.equal(last.body.data.length, 4)
  assert.deepEqual([last.body.links.next, last.body.meta.next_after], [null, null])
})

test('a cursor is refused if it is malformed, belongs to another sort order, or is combined with a page', async (t) => {
  const { call } = await aService(t)
  const id = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
  for (const [query, field] of [
    ['assets?after=', 'after'],
    ['assets?after=x', 'after'],
    [`assets?after=${id}&after=${id}`, 'after'],
    [`assets?after=${id}.5`, 'after'],
    [`assets?after=${id}&sort=bytes`, 'after'],
    [`assets?after=${id}&sort=filename`, 'after'],
    [`assets?after=${id}.x&sort=bytes`, 'after'],
    [`assets?after=${'9'.repeat(5000)}&sort=bytes`, 'after'],
    [`assets?after=${id}&page=2`, 'page'],
    ['products?after=1', 'after'],
    [`products?after=${id}.5`, 'after'],
  ]) {
    const { status, body } = await call('GET', `${API}/${query}`)
    assert.equal(status, 422, query)
    assert.deepEqual(Object.keys(body.errors), [field], query)
  }
})

test('the longest possible name can be used as a cursor', async (t) => {
  const service = await aService(t)
  for (let index = 0; index < 3; index += 1) {
    // Each U+FDFA folds to eighteen characters.
    await storeLink(service, { filename: '\uFDFA'.repeat(255) })
    await storeLink(service, { filename: '🎵'.repeat(255) })
  }
  assert.equal((await readPages(service, '/assets?limit=1&sort=filename')).length, 6)
})
