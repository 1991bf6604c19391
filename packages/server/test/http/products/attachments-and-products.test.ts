import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Product } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  attach,
  detach,
  namesOf,
  productsFrom,
  productsOf,
  putProduct,
  putProducts,
  storeLink,
} from '@stowage/testing/service/shop'
import {
  API,
  complete,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

function variantsOf(products: Product[]): number[] {
  return products.map(({ variant_id }) => variant_id)
}

/** Product 1 with variants 11 and 12, product 2 with 21, product 3 with 31. */
async function aShop(t: TestContext): Promise<{ service: TestService; products: Product[] }> {
  const service = await aService(t)
  const variants = [11, 12, 21, 31]
  const facts = variants.map((id) => ({ product_id: Math.floor(id / 10), variant_id: id }))
  return { service, products: await putProducts(service, facts) }
}

test('products are attached by any of their IDs, a product ID attaches all variants, and repeating the call is no error', async (t) => {
  const { service, products } = await aShop(t)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(1) })
  const link = await storeLink(service)
  for (const { id } of [session, link]) {
    const first = await attach(service, id, { product_ids: [1] })
    assert.deepEqual([first.status, variantsOf(first.body.data.products)], [201, [11, 12]])
    const references = {
      product_ids: [1, 1],
      variant_ids: [11, 21],
      products: [products[3]?.id.toUpperCase() ?? ''],
    }
    for (const time of ['once', 'again']) {
      const response = await attach(service, id, references)
      assert.deepEqual([response.status, response.body.data.id], [201, id], time)
      assert.deepEqual(response.body.data.products, products, time)
    }
    assert.deepEqual(await productsOf(service, id), products)
  }
  await complete(service.baseUrl, session, await putParts(session, someBytes(1)))
  assert.deepEqual(await productsOf(service, session.id), products)
})

test('products are detached by any of their IDs, and detaching one that is not attached is no error', async (t) => {
  const { service, products } = await aShop(t)
  const { id } = await storeLink(service)
  await attach(service, id, { product_ids: [1, 2] })
  const steps: [references: object, remaining: number[]][] = [
    [{ variant_ids: [11] }, [12, 21]],
    [{ variant_ids: [11], products: [products[3]?.id] }, [12, 21]],
    [{ product_ids: [1] }, [21]],
    [{ product_ids: [1, 2, 3], variant_ids: [31] }, []],
  ]
  for (const [references, remaining] of steps) {
    const response = await detach(service, id, references)
    assert.deepEqual([response.status, variantsOf(response.body.data.products)], [200, remaining])
    assert.deepEqual(await namesOf(service, `attached=${remaining.length > 0}`), ['link.zip'])
  }
})

test('a call with one unknown ID among 500 is refused, names the ID, and changes nothing', async (t) => {
  const service = await aService(t)
  const products = await putProducts(service, productsFrom(1, 500))
  const { id } = await storeLink(service)
  await attach(service, id, { product_ids: [1, 500] })
  const known = products.map(({ product_id }) => product_id)
  const unknownId = service.context.newId()
  const table: [references: object, errors: object][] = [
    [{ product_ids: known.with(250, 999) }, { product_ids: ['contains unknown values: 999'] }],
    [{ variant_ids: known.with(499, 0) }, { variant_ids: ['contains unknown values: 0'] }],
    [
      { products: products.map((product) => product.id).with(0, unknownId) },
      { products: [`contains unknown values: ${unknownId}`] },
    ],
    [
      { product_ids: [501, 1, 502], variant_ids: [503], products: [unknownId] },
      {
        product_ids: ['contains unknown values: 501, 502'],
        variant_ids: ['contains unknown values: 503'],
        products: [`contains unknown values: ${unknownId}`],
      },
    ],
  ]
  for (const call of [attach, detach]) {
    for (const [references, errors] of table) {
      const response = await call(service, id, references)
      assert.deepEqual([response.status, response.body.errors], [422, errors])
      assert.deepEqual(variantsOf(await productsOf(service, id)), [1, 500])
    }
  }
})

test('PUT /products matches by product and variant ID: new products are added, existing ones keep their ID', async (t) => {
  const service = await aService(t)
  const [first, second] = await putProducts(service, [{ variant_id: 12 }, { variant_id: 11 }])
  const changed = {
    variant_id: 12,
    name: 'Neuer Name',
    sku: '',
    vendor: 'Éditeur',
    tags: ['a', 'B'],
  }
  const after = await putProducts(service, [
    { product_id: 2, variant_id: 11 },
    changed,
    { variant_id: 11, name: 'x' },
  ])
  // The response has the order of the request.
  assert.deepEqual(
    after.map(({ product_id, variant_id }) => [product_id, variant_id]),
    [
      [2, 11],
      [1, 12],
      [1, 11],
    ],
  )
  assert.deepEqual([after[1]?.id, after[2]?.id], [first?.id, second?.id])
  assert.deepEqual(after[1], { ...first, ...changed })
  const { body } = await service.call('GET', `${API}/products/${first?.id}`)
  assert.deepEqual(body, { data: after[1] })
  assert.equal((await service.call('GET', `${API}/products`)).body.meta.total, 3)
})

test('a missing field of a product keeps its stored value, and an empty one clears it', async (t) => {
  const service = await aService(t)
  const product = await putProduct(service, { variant_id: 11 })
  const put = async (fields: object) => {
    const changed = { product_id: 1, variant_id: 11, name: 'Bare', ...fields }
    return service.call('PUT', `${API}/products`, { products: [changed] })
  }
  const totals = async () => {
    const filters = ['name=variant', 'sku=SKU-11', 'vendor=sounds', 'tag=audio']
    const calls = filters.map((filter) => service.call('GET', `${API}/products?${filter}`))
    return (await Promise.all(calls)).map(({ body }) => body.meta.total)
  }
  const kept = await put({})
  assert.deepEqual([kept.status, kept.body], [200, { data: [{ ...product, name: 'Bare' }] }])
  assert.deepEqual(await totals(), [1, 1, 1, 1])
  const empty = { variant_name: '', sku: '', vendor: '', tags: [] }
  const cleared = await put(empty)
  assert.deepEqual(cleared.body, { data: [{ ...product, name: 'Bare', ...empty }] })
  assert.deepEqual(await totals(), [0, 0, 0, 0])
})

test('a thousand products are stored in one call, all or none, with IDs up to 2^53 - 1', async (t) => {
  const service = await aService(t)
  const facts = productsFrom(Number.MAX_SAFE_INTEGER - 999, 1000)
  const products = await putProducts(service, facts)
  assert.deepEqual(
    products.map(({ product_id, variant_id }) => ({ product_id, variant_id })),
    facts,
  )
  assert.equal(new Set(products.map(({ id }) => id)).size, 1000)
  for (const name of ['product_id', 'variant_id']) {
    const query = `${name}=${Number.MAX_SAFE_INTEGER}`
    const { data } = (await service.call('GET', `${API}/products?${query}`)).body
    assert.deepEqual(data, products.slice(-1), name)
  }
  const next = products.map(({ id, ...product }) => ({
    ...product,
    name: 'Changed',
    variant_id: 1,
  }))
  const bad: [change: object, field: string][] = [
    [{ name: '' }, 'products.999.name'],
    [{ name: 'a\0' }, 'products.999.name'],
    [{ product_id: next[0]?.product_id }, 'products.999'],
  ]
  for (const [change, field] of bad) {
    const body = { products: next.with(999, { ...next[999], ...change } as (typeof next)[0]) }
    const response = await service.call('PUT', `${API}/products`, body)
    assert.deepEqual([response.status, Object.keys(response.body.errors)], [422, [field]])
  }
  const { body } = await service.call('GET', `${API}/products?limit=1000`)
  assert.deepEqual([body.meta.total, body.data], [1000, products.toReversed()])
})

test('a call that contains the same product twice is refused and names each duplicate', async (t) => {
  const service = await aService(t)
  const products = [11, 12, 11, 12].map((variant_id) => ({ product_id: 1, variant_id, name: 'a' }))
  const response = await service.call('PUT', `${API}/products`, { products })
  assert.deepEqual([response.status, response.body.code], [422, 'invalid'])
  assert.deepEqual(response.body.errors, {
    'products.2': ['is the same product and variant as products.0'],
    'products.3': ['is the same product and variant as products.1'],
  })
  assert.equal((await service.call('GET', `${API}/products`)).body.meta.total, 0)
})

test('a product can be read, with its ready assets on request, and deleted once', async (t) => {
  const { service, products } = await aShop(t)
  const [product] = products
  const path = `${API}/products/${product?.id}`
  const link = await storeLink(service)
  const file = await uploadFile(service.baseUrl, { bytes: someBytes(1) })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(1) })
  for (const { id } of [link, file, session]) await attach(service, id, { product_ids: [1] })
  assert.deepEqual((await service.call('GET', path)).body, { data: product })
  for (const [query, assets] of [
    ['with_assets=false', undefined],
    ['with_assets=true', [file, link]],
    ['with_assets=1', [file, link]],
  ] as const) {
    const { data } = (await service.call('GET', `${path}?${query}`)).body
    assert.deepEqual(data, assets === undefined ? product : { ...product, assets, assets_total: 2 })
    const page = await service.call('GET', `${API}/products?variant_id=11&${query}`)
    assert.deepEqual(page.body.data, [data])
  }
  const deleted = await service.call('DELETE', path)
  assert.deepEqual([deleted.status, deleted.body], [202, { deleted: true }])
  for (const method of ['GET', 'DELETE']) {
    const response = await service.call(method, path)
    assert.deepEqual([response.status, response.body.code], [404, 'not_found'])
  }
  assert.deepEqual(variantsOf(await productsOf(service, link.id)), [12])
})

test('one call can attach and detach a thousand products, with each list of IDs at its limit and IDs up to 2^53 - 1', async (t) => {
  const service = await aService(t)
  const products = await putProducts(service, productsFrom(Number.MAX_SAFE_INTEGER - 999, 1000))
  const { id } = await storeLink(service)
  const ids = products.map(({ product_id }) => product_id)
  const all = { product_ids: ids, variant_ids: ids, products: products.map((one) => one.id) }
  const attached = await attach(service, id, all)
  assert.equal(attached.status, 201, JSON.stringify(attached.body).slice(0, 300))
  assert.deepEqual(attached.body.data.products, products)
  const detached = await detach(service, id, all)
  assert.deepEqual([detached.status, detached.body.data.products], [200, []])
})
