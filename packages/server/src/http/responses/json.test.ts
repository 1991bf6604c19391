import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product } from '../../domain/product.ts'
import { plainProductChunks } from './json.ts'

function product(index: number): Product {
  const id = `${index}`
  const tags = [`${index} `.repeat(20_000)]
  return {
    id,
    productId: index,
    variantId: index,
    name: id,
    variantName: '',
    sku: '',
    vendor: '',
    tags,
  }
}

test('a long list of products is sent in chunks, which together are its elements', async () => {
  const products = Array.from({ length: 30 }, (_, index) => product(index))
  const chunks = await Array.fromAsync(plainProductChunks(products))
  assert.ok(chunks.length > 2, `${chunks.length} chunks`)
  const list: { tags: string[] }[] = JSON.parse(`[${chunks.join('')}]`)
  assert.deepEqual(
    list.map(({ tags }) => tags),
    products.map(({ tags }) => tags),
  )
  assert.deepEqual(await Array.fromAsync(plainProductChunks([])), [''])
})
