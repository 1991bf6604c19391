import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product } from '@stowage/client'
import { groupProducts } from './product-groups.ts'

test('variants are grouped by product, even if products share a name', () => {
  const aVariant = (product_id: number, variant_id: number) =>
    ({ product_id, variant_id, name: 'Pack' }) as Product
  const groups = groupProducts([aVariant(2, 1), aVariant(1, 1), aVariant(2, 2)])
  assert.deepEqual(
    groups.map(({ productId, name, variants }) => [productId, name, variants.length]),
    [
      [2, 'Pack', 2],
      [1, 'Pack', 1],
    ],
  )
  assert.deepEqual(groupProducts(), [])
})
