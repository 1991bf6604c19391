import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AssetPage } from '@stowage/protocol'
import { aService } from '@stowage/testing/service/service'
import { attach, putProduct, storeLink } from '@stowage/testing/service/shop'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'

async function aTrash(t: TestContext) {
  const service = await aService(t)
  const { baseUrl, call } = service
  const read = (query: string) => call('GET', `${API}/assets?trashed=true${query}`)
  async function list(query = ''): Promise<AssetPage> {
    const { status, body } = await read(query)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const names = async (query: string) => (await list(query)).data.map(({ filename }) => filename)
  async function trashLink(filename: string): Promise<string> {
    const { id } = await storeLink(service, { filename })
    assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
    return id
  }
  return { service, baseUrl, call, read, list, names, trashLink }
}

test('the trash is read by cursor, even if assets are restored and deleted meanwhile', async (t) => {
  const { call, read, list, trashLink } = await aTrash(t)
  const ids: string[] = []
  for (const count of [1, 2, 3, 4, 5, 6, 7]) ids.unshift(await trashLink(`${count}.zip`))
  const first = await list('&limit=3')
  assert.deepEqual([first.meta.total, first.meta.last_page], [7, 3])
  const seen = new Set(first.data.map(({ id }) => id))
  // The asset of the cursor leaves the trash, and another one is added before it.
  assert.equal((await call('POST', `${API}/assets/${first.data[2]?.id}/restore`)).status, 200)
  const late = await trashLink('late.zip')
  for (let after = first.meta.next_after; after; ) {
    const { data, meta } = await list(`&limit=3&after=${encodeURIComponent(after)}`)
    for (const { id } of data) {
      assert.ok(!seen.has(id), 'no asset is returned twice')
      seen.add(id)
    }
    after = meta.next_after
  }
  assert.deepEqual(seen, new Set(ids))
  assert.ok(!seen.has(late))
  assert.deepEqual((await list('&limit=3&page=9')).data, [])
  for (const after of ['x', ids[0], `${ids[0]}.x`, `${ids[0]}.${10 ** 16 - 1}`]) {
    const refused = await read(`&after=${after}`)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['after']])
  }
})

test('the trash has the filters of the list of assets', async (t) => {
  const { service, baseUrl, call, list, names, trashLink } = await aTrash(t)
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(9, 1), name: 'Straße.zip' })
  await call('PUT', `${API}/assets/${id}`, { path: 'course/week 1' })
  const { id: product } = await putProduct(service, { variant_id: 1, sku: 'P-1' })
  await attach(service, id, { products: [product] })
  assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
  await trashLink('50% off.zip')
  await storeLink(service, { filename: 'ready.zip' })

  assert.deepEqual(await names(''), ['50% off.zip', 'Straße.zip'])
  assert.deepEqual(await names('&filename=STRASSE'), ['Straße.zip'])
  assert.deepEqual(await names('&filename=0%25'), ['50% off.zip'])
  assert.deepEqual(await names('&filename=0_'), [])
  assert.deepEqual(await names('&search=week+strasse'), ['Straße.zip'])
  assert.deepEqual(await names('&type=link'), ['50% off.zip'])
  assert.deepEqual(await names('&type=file'), ['Straße.zip'])
  assert.deepEqual(await names('&path=course'), ['Straße.zip'])
  assert.deepEqual(await names('&path=other'), [])
  // Assets in the trash are detached from their products.
  for (const query of ['&attached=true', '&product_id=1', '&sku=P-1']) {
    assert.deepEqual(await names(query), [], query)
  }
  assert.equal((await list('&attached=false')).meta.total, 2)
  assert.deepEqual((await list('&type=file&with_products=true')).data[0]?.products, [])
  const { links } = await list('&type=file&limit=1')
  assert.match(links.first ?? '', /trashed=true.*type=file/)
  assert.equal((await call('GET', `${API}/assets?trashed=false`)).body.meta.total, 1)
})

test('a sort order is refused for the trash, and so are invalid values', async (t) => {
  const { call, read, trashLink } = await aTrash(t)
  await trashLink('a.zip')
  for (const sort of ['filename', '-bytes', 'created_at', 'deleted_at']) {
    const { status, body } = await read(`&sort=${sort}`)
    assert.deepEqual([status, body.code, Object.keys(body.errors)], [422, 'invalid', ['sort']])
  }
  assert.equal((await read('&limit=0')).status, 422)
  assert.equal((await read('&page=-1')).status, 422)
  assert.equal((await call('GET', `${API}/assets?trashed=yes`)).status, 422)
})
