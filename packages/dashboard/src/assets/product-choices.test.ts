import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product, ProductGroup } from '@stowage/client'
import { choicesOf, referencesOf } from './product-choices.ts'

function aGroup(count: number): ProductGroup {
  const variants = Array.from({ length: count }, (_, index) => ({
    id: `v${index + 1}`,
    name: 'Drum machine',
    vendor: 'Sounds',
    variant_name: count === 1 ? '' : `Size ${index + 1}`,
    sku: `DM-${index + 1}`,
  })) as Product[]
  const facts = { product_id: 7, name: 'Drum machine', vendor: 'Sounds', tags: [] }
  return { ...facts, variants, variants_total: count }
}

const labels = (group: ProductGroup, search = '') =>
  choicesOf(group, search).map(({ label }) => label)

test('a product with one variant is one choice', () => {
  assert.deepEqual(labels(aGroup(1)), ['Drum machine (DM-1) · Sounds'])
})

test('all variants are one choice, followed by the variants', () => {
  assert.deepEqual(labels(aGroup(2)), [
    'Drum machine · all 2 variants · Sounds',
    'Drum machine · Size 1 (DM-1) · Sounds',
    'Drum machine · Size 2 (DM-2) · Sounds',
  ])
})

test('of many variants, only those that match the search are offered', () => {
  assert.equal(labels(aGroup(90)).length, 1)
  assert.equal(labels(aGroup(90), 'drum sounds').length, 1)
  assert.deepEqual(labels(aGroup(90), 'drum dm-77').slice(1), [
    'Drum machine · Size 77 (DM-77) · Sounds',
  ])
  assert.equal(labels(aGroup(90), 'size').length, 7)
  assert.equal(labels(aGroup(90), 'machine size 8')[1], 'Drum machine · Size 8 (DM-8) · Sounds')
})

test('choices become references to products and variants', () => {
  const [all, first] = choicesOf(aGroup(2), '')
  assert.ok(all && first)
  assert.deepEqual(referencesOf([all, first]), { product_ids: [7], products: ['v1'] })
  assert.deepEqual(referencesOf([]), {})
})
