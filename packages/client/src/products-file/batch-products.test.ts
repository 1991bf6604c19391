import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchProducts } from './index.ts'

const aProduct = (line: number, tags: string[] = []) => ({
  line,
  details: { product_id: 1, variant_id: line, name: 'Pack', tags },
})

test('a batch has at most 1,000 products, in order', () => {
  const products = Array.from({ length: 2500 }, (_, index) => aProduct(index))
  const batches = batchProducts(products)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1000, 1000, 500],
  )
  assert.deepEqual(batches.flat(), products)
  assert.deepEqual(batchProducts([]), [])
})

test('a batch fits into a request, however long its products are', () => {
  const tags = Array.from({ length: 250 }, () => '…'.repeat(255))
  const batches = batchProducts(Array.from({ length: 100 }, (_, line) => aProduct(line, tags)))
  assert.equal(batches.flat().length, 100)
  for (const batch of batches) {
    const body = JSON.stringify({ products: batch.map(({ details }) => details) })
    assert.ok(Buffer.byteLength(body) < 8 * 1024 * 1024)
  }
})

test('a batch has no more tags than the service accepts', () => {
  const tags = Array.from({ length: 250 }, (_, index) => `${index}`)
  const batches = batchProducts(Array.from({ length: 250 }, (_, line) => aProduct(line, tags)))
  assert.deepEqual(
    batches.map(({ length }) => length),
    [100, 100, 50],
  )
})
