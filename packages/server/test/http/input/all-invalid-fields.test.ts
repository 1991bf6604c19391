import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

test('a 422 names every invalid field', async (t) => {
  const { call } = await aService(t)
  const invalid: [string, string, unknown, string[]][] = [
    [
      'POST',
      '/assets/signed',
      { name: 'a/b', size: -1, mime: 'no type', chunk_size: 1, max_chunk_size: 1 },
      ['name', 'size', 'mime', 'chunk_size', 'max_chunk_size'],
    ],
    ['POST', '/assets/signed', {}, ['name', 'size']],
    ['POST', '/assets/signed', { filename: '', mime_type: '/' }, ['size', 'filename', 'mime_type']],
    [
      'POST',
      '/assets/store',
      { filename: 'a\u0000', url: 'ftp://x', size: '10 apples' },
      ['filename', 'url', 'size'],
    ],
    ['POST', '/assets/store', { filename: '..', size: 1.5 }, ['url', 'filename', 'size']],
    ['GET', '/assets?filename=%01&sku=%02&limit=0', undefined, ['limit', 'filename', 'sku']],
    [
      'GET',
      '/products?name=%01&vendor=%02&tag=%03&page=x',
      undefined,
      ['page', 'name', 'vendor', 'tag'],
    ],
    [
      'PUT',
      '/products',
      { products: [{ product_id: -1, variant_id: 1, name: 'a\u0001', vendor: '\u0002' }] },
      ['products.0.product_id', 'products.0.name', 'products.0.vendor'],
    ],
  ]
  for (const [method, path, body, fields] of invalid) {
    const response = await call(method, `${API}${path}`, body)
    assert.equal(response.status, 422, path)
    assert.deepEqual(Object.keys(response.body.errors), fields, JSON.stringify(response.body))
  }
})
