import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { aProductToPut } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

const textOf = (length: number) => 'x'.repeat(length)

test('JSON that is nested too deeply is refused before it is parsed', async (t) => {
  const { call } = await aService(t)
  for (const body of [
    `{"products":${'['.repeat(4_000_000)}`,
    `{"products":${'['.repeat(32)}${']'.repeat(32)}}`,
    '{"a":'.repeat(33),
  ]) {
    const { status, body: received } = await call('PUT', `${API}/products`, body)
    assert.deepEqual([status, received.code], [400, 'malformed_json'])
    assert.match(received.message, /deeper than 32 levels/)
  }
  const flat = await call('PUT', `${API}/products`, { products: [{ name: '[{'.repeat(100) }] })
  assert.equal(flat.status, 422)
})

test('products that together exceed a limit are refused, and the error states the limit', async (t) => {
  const { call } = await aService(t)
  const put = (count: number, facts: object) => {
    const products = Array.from({ length: count }, (_, index) => ({
      ...aProductToPut({ variant_id: index }),
      ...facts,
    }))
    return call('PUT', `${API}/products`, { products })
  }
  const tags = Array.from({ length: 250 }, (_, index) => `${index}`)
  const tagged = await put(101, { tags })
  assert.equal(tagged.status, 422)
  assert.match(tagged.body.errors.products[0], /25250 tags in total; send at most 25000/)
  const long = await put(50, { tags: tags.map(() => textOf(255)) })
  assert.match(long.body.errors.products[0], /characters in total; send at most 2000000/)
  const longest = {
    name: textOf(255),
    variant_name: textOf(255),
    sku: textOf(255),
    vendor: textOf(255),
  }
  assert.equal((await put(1000, longest)).status, 200)
  assert.equal((await put(100, { tags })).status, 200)
})
