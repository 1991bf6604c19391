import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset, Product } from '@stowage/client'
import { groupAttachments } from './change-assets.ts'

const attachment = (id: string, products: string[]) => ({
  asset: { id } as Asset,
  products: products.map((product) => ({ id: product }) as Product),
})

test('assets with the same products, in any order, are changed together', () => {
  const groups = groupAttachments([
    attachment('a', ['1', '2']),
    attachment('b', ['2']),
    attachment('c', ['2', '1']),
  ])
  assert.deepEqual(groups, [
    { ids: ['a', 'c'], products: ['1', '2'] },
    { ids: ['b'], products: ['2'] },
  ])
})
