import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product, ProductGroup } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import { attach, putProducts, storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

async function read(service: TestService, path: string) {
  const { status, body } = await service.call('GET', API + path)
  assert.equal(status, 200, JSON.stringify(body))
  return body as { data: ProductGroup[]; meta: { total: number; next_after: string | null } }
}

/** Product 7 has 140 variants, the products 1 to 6 have one each. */
async function aShop(service: TestService): Promise<Product[]> {
  const variants = Array.from({ length: 140 }, (_, index) => ({
    product_id: 7,
    variant_id: 1000 + index,
    name: 'Pack of dusty drums',
    variant_name: `Size ${index}`,
    sku: `DUST-${index}`,
    vendor: 'Éclair',
  }))
  const others = [1, 2, 3, 4, 5, 6].map((id) => ({
    product_id: id,
    variant_id: id,
    name: `Other ${id}`,
    sku: `O-${id}`,
  }))
  return putProducts(service, [...others, ...variants.reverse()])
}

test('an asset that is attached to all 140 variants of a product lists the product once, and shows that all are attached', async (t) => {
  const service = await aService(t)
  await aShop(service)
  const { id } = await storeLink(service)
  await attach(service, id, { product_ids: [7], variant_ids: [3] })
  const { data, meta } = await read(service, `/assets/${id}/product-groups`)
  assert.equal(meta.total, 2)
  const [all, one] = data
  const facts = ({ product_id, variants_total, attached_total }: ProductGroup) => [
    product_id,
    variants_total,
    attached_total,
  ]
  assert.deepEqual(
    [all && facts(all), one && facts(one)],
    [
      [7, 140, 140],
      [3, 1, 1],
    ],
  )
  assert.deepEqual(
    [all?.name, all?.vendor, all?.tags],
    ['Pack of dusty drums', 'Éclair', ['audio']],
  )
  assert.deepEqual(
    all?.variants.map(({ variant_id }) => variant_id),
    Array.from({ length: 100 }, (_, index) => 1000 + index),
  )
  await service.call('POST', `${API}/assets/${id}/detach`, { variant_ids: [1000, 3] })
  const rest = await read(service, `/assets/${id}/product-groups`)
  assert.deepEqual([rest.meta.total, rest.data.map(facts)], [1, [[7, 140, 139]]])
  assert.equal(rest.data[0]?.variants[0]?.variant_id, 1001)
  const unknown = await service.call(
    'GET',
    `${API}/assets/${service.context.newId()}/product-groups`,
  )
  assert.equal(unknown.status, 404)
})

test('products are listed page by page, and a product of which one variant matches is listed with its other variants', async (t) => {
  const service = await aService(t)
  await aShop(service)
  const [first, second] = [await storeLink(service), await storeLink(service)]
  await attach(service, first.id, { product_ids: [7, 6] })
  await attach(service, second.id, { variant_ids: [1000] })
  const found = await read(service, '/product-groups?search=drums+DUST-77+eclair')
  assert.equal(found.data.length, 0)
  const exact = await read(service, '/product-groups?search=%C3%89CLAIR+dust-77')
  assert.deepEqual(
    exact.data.map((group) => [group.product_id, group.variants.length, group.variants_total]),
    [[7, 100, 140]],
  )
  const seen: [number, number | null | undefined][] = []
  for (let path = '/product-groups?limit=3'; ; ) {
    const page = await read(service, path)
    assert.equal(page.meta.total, 7)
    seen.push(...page.data.map((group) => [group.product_id, group.assets_total] as const as never))
    if (page.meta.next_after === null) break
    path = `/product-groups?limit=3&after=${page.meta.next_after}`
  }
  assert.deepEqual(seen, [
    [7, 2],
    [6, 1],
    [5, 0],
    [4, 0],
    [3, 0],
    [2, 0],
    [1, 0],
  ])
  const last = await read(service, '/product-groups?limit=3&page=3')
  assert.deepEqual(
    [last.data.map(({ product_id }) => product_id), last.meta.next_after],
    [[1], null],
  )
  assert.deepEqual((await read(service, '/product-groups?limit=3&page=4')).data, [])
  for (const query of ['after=x', 'after=1&page=1', 'after=99999999999999999', 'limit=0']) {
    const { status, body } = await service.call('GET', `${API}/product-groups?${query}`)
    assert.deepEqual([status, body.code], [422, 'invalid'], query)
  }
})

test('a search is limited to 255 characters and 20 words', async (t) => {
  const service = await aService(t)
  await aShop(service)
  await storeLink(service)
  const statusOf = async (list: string, search: string) => {
    const response = await service.call('GET', `${API}${list}?search=${encodeURIComponent(search)}`)
    return { status: response.status, problems: response.body.errors?.search }
  }
  const totals: Record<string, number> = { '/products': 146, '/product-groups': 7, '/assets': 1 }
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 100}`)
  for (const list of ['/products', '/product-groups', '/assets']) {
    assert.equal((await statusOf(list, words(20).join(' '))).status, 200)
    assert.deepEqual(await statusOf(list, words(21).join(' ')), {
      status: 422,
      problems: ['has 21 different words; send at most 20'],
    })
    assert.equal((await statusOf(list, 'x '.repeat(127))).status, 200)
    for (const text of [words(1000).join(' '), 'x'.repeat(256), 'a\0b']) {
      assert.equal((await statusOf(list, text)).status, 422)
    }
    for (const text of ['', '   ', '\u3000']) {
      const response = await service.call('GET', `${API}${list}?search=${encodeURIComponent(text)}`)
      assert.equal(response.body.meta.total, totals[list])
    }
  }
})

test('products without assets are found, sorted, page by page, and with other filters', async (t) => {
  const service = await aService(t)
  await aShop(service)
  const asset = await storeLink(service)
  await attach(service, asset.id, { product_ids: [1, 2, 3], variant_ids: [1000] })
  const groups = (await read(service, '/product-groups?has_assets=false&sort=name')).data
  assert.deepEqual(
    groups.map(({ name, variants_total, matching_total }) => [
      name,
      variants_total,
      matching_total,
    ]),
    [
      ['Other 4', 1, 1],
      ['Other 5', 1, 1],
      ['Other 6', 1, 1],
      ['Pack of dusty drums', 140, 139],
    ],
  )
  assert.equal((await read(service, '/product-groups?has_assets=true')).meta.total, 4)
  assert.equal((await read(service, '/products?has_assets=0&search=other')).meta.total, 3)
  for (const list of ['products', 'product-groups']) {
    for (const sort of ['created_at', '-name', 'sku', '-product_id']) {
      const path = `/${list}?sort=${sort}&has_assets=false`
      const whole = await read(service, `${path}&limit=100`)
      const rows: unknown[] = []
      for (let next: string | null = ''; next !== null; ) {
        const after: string = next === '' ? '' : `&after=${next}`
        const page = await read(service, `${path}&limit=3${after}`)
        rows.push(...page.data)
        next = rows.length < 100 ? page.meta.next_after : null
      }
      assert.deepEqual(rows.slice(0, 100), whole.data.slice(0, rows.length), path)
    }
  }
  const id = asset.id
  for (const query of [
    'sort=vendor',
    'has_assets=maybe',
    `after=${id}&sort=name`,
    `after=1.x&sort=sku`,
  ]) {
    const { status } = await service.call('GET', `${API}/product-groups?${query}`)
    assert.equal(status, 422, query)
  }
})
