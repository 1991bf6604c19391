import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product } from '@stowage/client'
import { groupProducts, productNames } from './product-names.ts'

test('one variant is named with its product, and several variants by the name of the product', () => {
  const aVariant = (product_id: number, name: string, variant_name: string) =>
    ({ product_id, name, variant_name }) as Product
  const names = productNames([
    aVariant(1, 'Pack', 'WAV'),
    aVariant(2, 'Course', 'HD'),
    aVariant(2, 'Course', '4K'),
    aVariant(3, 'Book', ''),
  ])
  assert.deepEqual(names, ['Pack · WAV', 'Course', 'Book'])
  assert.deepEqual(productNames(), [])
})

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
