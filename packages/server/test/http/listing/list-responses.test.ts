import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aService, type TestService } from '@stowage/testing/service/service'
import { storeLink, storeManyLinks } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

const ASSETS = `${API}/assets`

/** Every list of the account that needs no ID. */
const LISTS = [
  ASSETS,
  `${ASSETS}?trashed=true`,
  `${ASSETS}?with_products=true`,
  `${API}/uploads`,
  `${API}/products`,
  `${API}/product-groups`,
  `${API}/events`,
  `${API}/keys`,
  `${API}/upload-tokens`,
  `${API}/webhooks`,
]

function get({ baseUrl }: TestService, path: string, headers: Record<string, string> = {}) {
  return fetch(baseUrl + path, { headers: { Authorization: `Bearer ${ADMIN_KEY}`, ...headers } })
}

test('a client that has a list gets 304 until the list changes', async (t) => {
  const service = await aKeyedService(t)
  for (const path of LISTS) {
    const first = await get(service, path)
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^W\/"[\w-]{27}"$/, path)
    assert.equal(first.headers.get('cache-control'), 'private, no-cache')
    assert.equal(first.headers.get('vary'), 'Accept-Encoding')
    for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const repeated = await get(service, path, { 'If-None-Match': known })
      assert.deepEqual([repeated.status, await repeated.text()], [304, ''], path)
      assert.equal(repeated.headers.get('etag'), etag)
      assert.equal(repeated.headers.get('content-type'), null)
      assert.ok(repeated.headers.get('x-request-id'))
    }
    assert.equal((await get(service, path, { 'If-None-Match': 'W/"other"' })).status, 200)
  }
  const known = (await get(service, ASSETS)).headers.get('etag') ?? ''
  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  const key = { Authorization: `Bearer ${ADMIN_KEY}` }
  assert.equal((await service.call('POST', `${ASSETS}/store`, link, key)).status, 201)
  const changed = await get(service, ASSETS, { 'If-None-Match': known })
  assert.deepEqual([changed.status, (await changed.json()).data.length], [200, 1])
})

test('errors and responses that are no lists have no ETag', async (t) => {
  const service = await aService(t)
  const { id } = await storeLink(service)
  for (const path of [`${ASSETS}?limit=0`, `${ASSETS}/${id}`, `${API}/account`]) {
    const { headers } = await get(service, path, { 'If-None-Match': '*' })
    assert.equal(headers.get('etag'), null, path)
  }
})

async function aServiceWithLinks(t: TestContext, count: number): Promise<TestService> {
  const service = await aService(t)
  await storeManyLinks(service, count)
  return service
}

test('a long list is compressed if the client accepts it, with the same content and ETag', async (t) => {
  const service = await aServiceWithLinks(t, 100)
  const path = `${ASSETS}?limit=100`
  const plain = await get(service, path, { 'Accept-Encoding': 'identity' })
  assert.equal(plain.headers.get('content-encoding'), null)
  const text = await plain.text()
  assert.equal(plain.headers.get('content-length'), `${Buffer.byteLength(text)}`)
  const compressed = await get(service, path, { 'Accept-Encoding': 'br, gzip' })
  assert.equal(compressed.headers.get('content-encoding'), 'gzip')
  assert.ok(Number(compressed.headers.get('content-length')) < text.length / 4)
  assert.equal(await compressed.text(), text)
  const etag = plain.headers.get('etag') ?? ''
  assert.equal(compressed.headers.get('etag'), etag)
  const known = { 'Accept-Encoding': 'gzip', 'If-None-Match': etag }
  assert.equal((await get(service, path, known)).status, 304)
  const first = await get(service, ASSETS, { 'Accept-Encoding': 'gzip' })
  assert.equal(first.headers.get('content-encoding'), null, 'the first page is short')
  const refused = await get(service, path, { 'Accept-Encoding': 'gzip;q=0' })
  assert.equal(refused.headers.get('content-encoding'), null)
})

test('a list that is produced while it is sent is compressed, too', async (t) => {
  const service = await aServiceWithLinks(t, 1000)
  const path = `${ASSETS}?limit=1000&with_products=true`
  const plain = await get(service, path, { 'Accept-Encoding': 'identity' })
  const compressed = await get(service, path, { 'Accept-Encoding': 'gzip' })
  assert.equal(compressed.headers.get('content-encoding'), 'gzip')
  assert.deepEqual(await compressed.json(), await plain.json())
})

test('a very long list has no ETag, because its digest would delay other requests', async (t) => {
  const service = await aServiceWithLinks(t, 400)
  const { status, headers } = await get(service, `${ASSETS}?limit=400`, { 'If-None-Match': '*' })
  assert.deepEqual([status, headers.get('etag')], [200, null])
})

test('HEAD has the ETag of a list', async (t) => {
  const { baseUrl } = await aServiceWithLinks(t, 100)
  const { headers } = await fetch(`${baseUrl}${ASSETS}?limit=100`)
  const head = await fetch(`${baseUrl}${ASSETS}?limit=100`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('etag')], [200, headers.get('etag')])
})
