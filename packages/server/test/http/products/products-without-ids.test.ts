import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

const FIRST_PROVISIONAL_ID = 2 ** 52
const PACK = { handle: 'pack', name: 'Pack', variant_name: 'WAV', sku: 'PACK-WAV' }

test('a product without IDs gets the shop’s IDs later, and keeps its assets and the orders of it', async (t) => {
  const service = await aService(t)
  const { call } = service
  const put = (...products: object[]) => call('PUT', `${API}/products`, { products })
  const first = await put(PACK)
  assert.equal(first.status, 200, JSON.stringify(first.body))
  const [pack] = first.body.data
  assert.ok(pack.product_id >= FIRST_PROVISIONAL_ID && Number.isSafeInteger(pack.product_id))
  assert.ok(pack.variant_id >= FIRST_PROVISIONAL_ID && Number.isSafeInteger(pack.variant_id))
  const asset = await storeLink(service)
  const { status } = await call('POST', `${API}/assets/${asset.id}/attach`, { skus: ['PACK-WAV'] })
  assert.equal(status, 201)
  const lines = [{ product_id: pack.product_id, variant_id: pack.variant_id }]
  const order = (await call('POST', `${API}/orders`, { lines })).body.data

  const again = await put({ ...PACK, name: 'Renamed' })
  assert.deepEqual(again.body.data, [{ ...pack, name: 'Renamed' }])
  const { handle: _, ...rest } = PACK
  const adopted = await put({ ...rest, product_id: 7, variant_id: 71 })
  assert.deepEqual(adopted.body.data, [{ ...pack, product_id: 7, variant_id: 71 }])
  const attached = await call('GET', `${API}/products/${pack.id}?with_assets=true`)
  assert.deepEqual(
    attached.body.data.assets.map(({ id }: { id: string }) => id),
    [asset.id],
  )
  const [line] = (await call('GET', `${API}/orders/${order.id}`)).body.data.lines
  assert.deepEqual([line.product_id, line.variant_id], [7, 71])
  const files = await call('GET', `${API}/orders/${order.id}/files`)
  assert.equal(files.body.data.length, 1)
})

test('a product needs both IDs or a handle, and its variants are different', async (t) => {
  const { call } = await aService(t)
  const refusals: [object[], Record<string, string[]>][] = [
    [
      [{ name: 'a' }],
      {
        'products.0.product_id': ['is required, unless handle is given'],
        'products.0.variant_id': ['is required, unless handle is given'],
      },
    ],
    [
      [{ name: 'a', handle: 'a', product_id: 1 }],
      { 'products.0.variant_id': ['is required with product_id'] },
    ],
    [
      [{ name: 'a', handle: 'a', variant_id: 1 }],
      { 'products.0.product_id': ['is required with variant_id'] },
    ],
    [
      [{ name: 'a', handle: 'a', variant_id: 0 }],
      { 'products.0.product_id': ['is required with variant_id'] },
    ],
    [
      [
        { name: 'a', handle: 'a' },
        { name: 'b', handle: 'a', sku: 'B' },
      ],
      { 'products.1': ['is the same product and variant as products.0'] },
    ],
    [
      [{ name: 'a', handle: 'a', match_by: 'name' }],
      { 'products.0.match_by': ['must be sku or handle'] },
    ],
  ]
  for (const [products, errors] of refusals) {
    const { status, body } = await call('PUT', `${API}/products`, { products })
    assert.equal(status, 422)
    assert.deepEqual(body.errors, errors)
  }
  assert.equal((await call('GET', `${API}/products`)).body.meta.total, 0)
})
