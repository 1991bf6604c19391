import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Asset, Product } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import { attach, detach, productsFrom, putProducts, storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

/** More products than one query reads, so that the products of an asset are read in several slices. */
const MANY = 600

async function aShopWithAttachments(t: TestContext) {
  const service = await aService(t)
  const products = await putProducts(service, productsFrom(1, MANY))
  const ids = idsOf(products)
  const assets: Asset[] = []
  // The assets have no product, one, all 600, 200 (exactly two slices), and two.
  for (const attached of [[], ids.slice(0, 1), ids, ids.slice(0, 200), ids.slice(0, 2)]) {
    const asset = await storeLink(service, { filename: `${attached.length}` })
    if (attached.length > 0) await attach(service, asset.id, { products: attached })
    assets.push(asset)
  }
  return { service, ids, assets }
}

test('with_products returns all products in order, even for assets with many products', async (t) => {
  const { service, ids, assets } = await aShopWithAttachments(t)
  const list = await service.call('GET', `${API}/assets?with_products=true`)
  const expected = [ids.slice(0, 2), ids.slice(0, 200), ids, ids.slice(0, 1), []]
  assert.deepEqual(idsOf(list.body.data), idsOf(assets.toReversed()))
  for (const [index, { products }] of list.body.data.entries()) {
    assert.deepEqual(idsOf(products), expected[index])
  }
  assert.equal(list.body.meta.total, assets.length)
  const one = await service.call('GET', `${API}/assets/${assets[2]?.id}?with_products=true`)
  assert.deepEqual(idsOf(one.body.data.products), ids)
  const attached = await attach(service, assets[2]?.id ?? '', { products: ids.slice(0, 1) })
  assert.deepEqual([attached.status, idsOf(attached.body.data.products)], [201, ids])
  const detached = await detach(service, assets[2]?.id ?? '', { products: ids.slice(0, 1) })
  assert.deepEqual([detached.status, idsOf(detached.body.data.products)], [200, ids.slice(1)])
})

test('with_assets returns the newest hundred assets of each product, and the number of all its assets', async (t) => {
  const service = await aService(t)
  const [product, other] = await putProducts(service, productsFrom(1, 2))
  const assets: string[] = []
  for (let index = 0; index < 103; index += 1) {
    const { id } = await storeLink(service)
    await attach(service, id, { products: [product?.id ?? ''] })
    assets.unshift(id)
  }
  const expectNested = (found: Product & { assets: Asset[]; assets_total: number }) => {
    assert.deepEqual(idsOf(found.assets), assets.slice(0, 100))
    assert.equal(found.assets_total, 103)
  }
  const one = await service.call('GET', `${API}/products/${product?.id}?with_assets=true`)
  expectNested(one.body.data)
  const list = await service.call('GET', `${API}/products?with_assets=true`)
  expectNested(list.body.data[1])
  assert.deepEqual([list.body.data[0].assets, list.body.data[0].assets_total], [[], 0])
  const without = await service.call('GET', `${API}/products/${other?.id}`)
  assert.deepEqual(
    [without.body.data.assets, without.body.data.assets_total],
    [undefined, undefined],
  )
})

/** Reads the IDs of all pages with `after`. */
async function readPages({ call }: TestService, path: string): Promise<string[]> {
  const ids: string[] = []
  let after = ''
  do {
    const { status, body } = await call('GET', `${API}${path}?limit=250${after}`)
    assert.equal(status, 200, JSON.stringify(body))
    ids.push(...idsOf(body.data))
    after = body.meta.next_after === null ? '' : `&after=${body.meta.next_after}`
  } while (after !== '')
  return ids
}

test('the products of an asset and the assets of a product can be read page by page', async (t) => {
  const { service, ids, assets } = await aShopWithAttachments(t)
  const [none, , all] = assets
  assert.deepEqual(await readPages(service, `/assets/${all?.id}/products`), ids.toReversed())
  assert.deepEqual(await readPages(service, `/assets/${none?.id}/products`), [])
  const attached = idsOf(assets.slice(1))
  assert.deepEqual(await readPages(service, `/products/${ids[0]}/assets`), attached)
  const page = await service.call('GET', `${API}/products/${ids[0]}/assets?limit=2&page=2`)
  assert.deepEqual(idsOf(page.body.data), attached.slice(2))
  assert.deepEqual([page.body.meta.total, page.body.meta.last_page], [4, 2])
  for (const path of [`/assets/${ids[0]}/products`, `/products/${all?.id}/assets`]) {
    assert.equal((await service.call('GET', `${API}${path}`)).status, 404)
  }
  const wrong = await service.call('GET', `${API}/assets/${all?.id}/products?limit=0`)
  assert.equal(wrong.status, 422)
})
