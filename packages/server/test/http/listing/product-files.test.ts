import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { attach, putProducts, storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

test('the files of a product have the order that the merchant sets, in its list and on the download page', async (t) => {
  const service = await aService(t)
  const { call } = service
  const [small, large] = await putProducts(service, [
    { product_id: 1, variant_id: 1, name: 'Course' },
    { product_id: 1, variant_id: 2, name: 'Course' },
  ])
  const ids: string[] = []
  for (const filename of ['d', 'c', 'b', 'a']) {
    const { id } = await storeLink(service, { filename })
    await attach(service, id, { product_ids: [1] })
    ids.push(id)
  }
  const [d = '', c = '', b = '', a = ''] = ids
  const path = `${API}/products/${small?.id}/assets`
  const list = async (query = '', product = small?.id) => {
    const { body } = await call('GET', `${API}/products/${product}/assets${query}`)
    return body.data.map((asset: { filename: string }) => asset.filename).join('')
  }
  const order = await call('POST', `${API}/orders`, { lines: [{ product_id: 1, variant_id: 1 }] })
  const page = async () => {
    const html = await (await fetch(order.body.data.url)).text()
    return ids
      .map((_, index) => 'dcba'[index] ?? '')
      .toSorted((one, other) => html.indexOf(`>${one}<`) - html.indexOf(`>${other}<`))
      .join('')
  }
  assert.deepEqual([await list(), await page()], ['dcba', 'dcba'])

  const set = await call('PUT', path, { assets: [b, d.toUpperCase()] })
  assert.deepEqual([set.status, set.body.data.assets], [200, [b, d]])
  assert.deepEqual([await list(), await page()], ['bdca', 'bdca'])
  // It is the order of all variants, and of each page.
  assert.equal(await list('', large?.id), 'bdca')
  assert.equal((await list('?limit=3')) + (await list('?limit=3&page=2')), 'bdca')
  const { body } = await call('GET', `${path}?limit=3`)
  assert.equal(await list(`?limit=3&after=${body.meta.next_after}`), 'a')
  assert.equal((await call('GET', path)).body.meta.total, 4)

  // What is detached, or in the trash, returns to its position.
  await call('POST', `${API}/assets/${b}/detach`, { product_ids: [1] })
  await call('DELETE', `${API}/assets/${d}`)
  assert.equal(await list(), 'ca')
  await call('POST', `${API}/assets/${d}/restore`)
  await attach(service, b, { product_ids: [1] })
  assert.equal(await list(), 'bdca')
  assert.equal((await call('PUT', path, { assets: [a, b, c, d] })).status, 200)
  assert.deepEqual([await list(), await page()], ['abcd', 'abcd'])
  assert.equal((await call('PUT', path, { assets: [] })).status, 200)
  assert.equal(await list(), 'dcba')
})

test('an order of files is refused if it names other assets, or one of them twice', async (t) => {
  const service = await aService(t)
  const { call } = service
  const [product] = await putProducts(service, [{ product_id: 1, variant_id: 1, name: 'Course' }])
  const { id } = await storeLink(service)
  const { id: other } = await storeLink(service)
  await attach(service, id, { product_ids: [1] })
  const path = `${API}/products/${product?.id}/assets`
  const many = Array.from({ length: 1001 }, () => service.context.newId())
  for (const body of [
    {},
    { assets: [other] },
    { assets: [id, id] },
    { assets: 'a' },
    { assets: many },
    { assets: [id], ids: [] },
  ]) {
    const { status } = await call('PUT', path, body)
    assert.equal(status, 422, JSON.stringify(body).slice(0, 100))
  }
  const unknown = await call('PUT', `${API}/products/${other}/assets`, { assets: [] })
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
  // Calls at the same time leave one of the orders.
  const { id: third } = await storeLink(service)
  for (const asset of [other, third]) await attach(service, asset, { product_ids: [1] })
  const orders = [[id, other, third], [third, other, id], [other]]
  await Promise.all(orders.map((assets) => call('PUT', path, { assets })))
  const listed = (await call('GET', path)).body.data.map((asset: { id: string }) => asset.id)
  const expected = [...orders.slice(0, 2), [other, id, third]]
  assert.ok(
    expected.some((one) => one.join() === listed.join()),
    listed.join(),
  )
})
