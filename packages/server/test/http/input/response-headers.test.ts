import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, uploadFile } from '@stowage/testing/service/upload'

const OWN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

test('the response has the X-Request-Id of the client if it is short and plain, and otherwise a new one', async (t) => {
  const { baseUrl } = await aService(t)
  const { id } = await uploadFile(baseUrl, { name: 'a.txt', bytes: Buffer.alloc(1) })
  const download = await fetch(`${baseUrl}${API}/assets/${id}/download`, { redirect: 'manual' })
  const stored = download.headers.get('location') ?? ''
  for (const url of [`${baseUrl}${API}/assets`, `${baseUrl}/nowhere`, stored]) {
    const idFor = async (given: string) => {
      const response = await fetch(url, { headers: { 'X-Request-Id': given } })
      return response.headers.get('x-request-id') ?? ''
    }
    for (const given of [
      'a',
      'job-7/retry:2',
      '4bf92f3577b34da6a3ce929d0e0e4736',
      'x'.repeat(128),
    ]) {
      assert.equal(await idFor(given), given)
    }
    for (const given of ['', 'two words', '{"a":1}', 'a,b', 'x'.repeat(129), 'é']) {
      assert.match(await idFor(given), OWN)
    }
  }
})

test('the Location of a 201 leads to what was created', async (t) => {
  const { call, baseUrl } = await aService(t)
  const created = async (path: string, body: object) => {
    const { status, headers } = await call('POST', `${API}${path}`, body)
    assert.equal(status, 201)
    const location = headers.get('location') ?? ''
    assert.ok(location.startsWith(`${baseUrl}${API}/`), location)
    return fetch(location).then(async (response) => {
      assert.equal(response.status, 200, location)
      return response.json()
    })
  }
  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  assert.equal((await created('/assets/store', link)).data.filename, 'a.zip')
  const file = { name: 'b.zip', size: 3 }
  assert.equal((await created('/assets/signed', file)).data.filename, 'b.zip')
  const { id } = await uploadFile(baseUrl, { name: 'c.txt', bytes: Buffer.alloc(1) })
  const replacement = await created(`/assets/${id}/signed`, { size: 3 })
  assert.deepEqual([replacement.id, replacement.status], [id, 'uploading'])
  assert.equal((await created('/upload-tokens', { max_bytes: 5 })).data.max_bytes, 5)
  const url = 'https://example.com/hook'
  assert.equal((await created('/webhooks', { url })).data.url, url)
  await call('PUT', `${API}/products`, {
    products: [{ product_id: 1, variant_id: 1, name: 'Pack' }],
  })
  assert.equal((await created(`/assets/${id}/attach`, { product_ids: [1] })).data.length, 1)
})
