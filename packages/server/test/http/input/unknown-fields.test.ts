import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '@stowage/protocol'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

/** The calls of the interface that existing clients know. They may send fields that Stowage does not know. */
const TOLERANT = [
  'requestUpload',
  'completeUpload',
  'cancelUpload',
  'storeLink',
  'changeAsset',
  'attachProducts',
  'detachProducts',
  'attachToOrder',
  'detachFromOrder',
]

test('only the calls that existing clients know ignore unknown fields', () => {
  const tolerant = ENDPOINTS.filter(({ body }) => body !== undefined && !isStrict(body))
  assert.deepEqual(
    tolerant.map(({ operationId }) => operationId),
    TOLERANT,
  )
})

/** Whether the schema and all schemas in it refuse unknown members. */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if ('properties' in schema && !('additionalProperties' in schema)) return false
  return Object.values(schema).every(isStrict)
}

test('an unknown field is refused with the name of the closest one', async (t) => {
  const { call } = await aService(t)
  const token = { max_bytes: 10 }
  const cases: [method: string, path: string, body: object, field: string, problem: RegExp][] = [
    [
      'POST',
      '/upload-tokens',
      { ...token, mimes: ['image/*'] },
      'mimes',
      /the closest field is mime$/,
    ],
    [
      'POST',
      '/upload-tokens',
      { ...token, origins: ['a'] },
      'origins',
      /the closest field is origin$/,
    ],
    [
      'POST',
      '/upload-tokens',
      { ...token, maxFiles: 3 },
      'maxFiles',
      /the closest field is max_files$/,
    ],
    ['POST', '/upload-tokens', { ...token, colour: 'red' }, 'colour', /its fields are max_bytes, /],
    [
      'POST',
      '/upload-tokens',
      { ...token, attach: { product_id: [1] } },
      'attach.product_id',
      /the closest field is product_ids$/,
    ],
    [
      'POST',
      '/keys',
      { name: 'a', scope: 'read', scopes: [] },
      'scopes',
      /the closest field is scope$/,
    ],
    [
      'POST',
      '/webhooks',
      { url: 'https://a.example', type: [] },
      'type',
      /the closest field is types$/,
    ],
    [
      'POST',
      '/assets/bulk',
      { action: 'delete', ids: [], id: 'a' },
      'id',
      /the closest field is ids$/,
    ],
    [
      'PUT',
      '/products',
      { products: [{ product_id: 1, variant_id: 1, name: 'a', tag: 'b' }] },
      'products.0.tag',
      /the closest field is tags$/,
    ],
  ]
  for (const [method, path, body, field, problem] of cases) {
    const response = await call(method, `${API}${path}`, body)
    assert.equal(response.status, 422, path)
    assert.match(response.body.errors[field]?.[0] ?? '', problem, JSON.stringify(response.body))
  }
  assert.equal((await call('GET', `${API}/keys`)).body.data.length, 0)
})

test('the response to thousands of long unknown fields is short', async (t) => {
  const { call } = await aService(t)
  const names = Array.from({ length: 200 }, (_, index) => `${index}${'x'.repeat(200)}`)
  const body = { name: 'a', scope: 'read', ...Object.fromEntries(names.map((name) => [name, 1])) }
  const response = await call('POST', `${API}/keys`, body)
  assert.equal(response.status, 422)
  assert.equal(Object.keys(response.body.errors).length, 8)
  assert.ok(JSON.stringify(response.body).length < 2000)
})

test('calls that existing clients know ignore unknown fields', async (t) => {
  const { call } = await aService(t)
  const link = { filename: 'a', url: 'https://a.example/b', shop: 'mine' }
  const stored = await call('POST', `${API}/assets/store`, link)
  assert.equal(stored.status, 201)
  const renamed = { filename: 'b', shop: 'mine' }
  const changed = await call('PUT', `${API}/assets/${stored.body.data.id}`, renamed)
  assert.deepEqual([changed.status, changed.body.data.filename], [200, 'b'])
  const upload = { name: 'a', size: 1, type: 'zip', lastModified: 1 }
  assert.equal((await call('POST', `${API}/assets/signed`, upload)).status, 201)
})

test('every list names the query parameters that it has ignored', async (t) => {
  const { call } = await aService(t)
  const link = { filename: 'a', url: 'https://a.example/b' }
  const { id } = (await call('POST', `${API}/assets/store`, link)).body.data
  const product = { product_id: 1, variant_id: 1, name: 'p' }
  const products = (await call('PUT', `${API}/products`, { products: [product] })).body.data
  const webhook = await call('POST', `${API}/webhooks`, { url: 'https://a.example' })
  const order = await call('POST', `${API}/orders`, { assets: [id] })
  const lists = [
    '/assets',
    '/tags',
    '/uploads',
    '/products',
    '/product-groups',
    '/events',
    '/folders',
    '/upload-tokens',
    '/orders',
    `/orders/${order.body.data.id}/downloads`,
    `/assets/${id}/downloads`,
    `/assets/${id}/products`,
    '/mails',
    `/assets/${id}/product-groups`,
    `/products/${products[0].id}/assets`,
    `/webhooks/${webhook.body.data.id}/deliveries`,
  ]
  const paged = ENDPOINTS.filter(({ query }) => query !== undefined && 'limit' in query.properties)
  assert.equal(paged.length, lists.length, 'the test has all lists')
  const ignoredBy = async (url: string) => (await call('GET', `${API}${url}`)).body.meta.ignored
  for (const list of lists) {
    assert.equal(await ignoredBy(`${list}?limit=5`), undefined, list)
    const ignored = await ignoredBy(`${list}?colour=red&limit=5&shape=a&shape=b&__proto__=c`)
    assert.deepEqual(ignored, ['colour', 'shape', '__proto__'], list)
  }
  assert.deepEqual(await ignoredBy('/assets?trashed=true&colour=red'), ['colour'])
  assert.deepEqual(await ignoredBy('/events?order=desc&colour=red'), ['colour'])
})

test('a misspelled field is reported before the field that is missing because of it', async (t) => {
  const { call } = await aService(t)
  const { body } = await call('POST', `${API}/webhooks`, {
    urls: 'https://shop.example/webhooks',
  })
  assert.deepEqual(Object.keys(body.errors), ['urls', 'url'])
  assert.match(body.message, /^urls is not a field of this call; the closest field is url/)
})
