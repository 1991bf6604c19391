import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product, ProductGroup } from '@stowage/client'
import {
  allVariantsOf,
  choiceOf,
  labelOf,
  referencesOf,
  shownVariantsOf,
} from './product-choices.ts'

function aGroup(count: number): ProductGroup {
  const facts = { product_id: 7, name: 'Drum machine', vendor: 'Sounds', tags: [] }
  const variants = Array.from({ length: count }, (_, index) => ({
    ...facts,
    id: `v${index + 1}`,
    variant_name: count === 1 ? '' : `Size ${index + 1}`,
    sku: `DM-${index + 1}`,
  })) as unknown as Product[]
  return { ...facts, variants, variants_total: count }
}

const labels = (group: ProductGroup, search = '') =>
  shownVariantsOf(group, search).map((variant) => labelOf(choiceOf(variant).texts))

test('choices name the product, the variant, the SKU and the vendor', () => {
  assert.deepEqual(labels(aGroup(1)), ['Drum machine · DM-1 · Sounds'])
  assert.equal(labelOf(allVariantsOf(aGroup(2)).texts), 'Drum machine · all 2 variants · Sounds')
  assert.deepEqual(labels(aGroup(2)), [
    'Drum machine · Size 1 · DM-1 · Sounds',
    'Drum machine · Size 2 · DM-2 · Sounds',
  ])
})

test('of many variants, only those that match the search are shown', () => {
  assert.deepEqual(labels(aGroup(90)), [])
  assert.deepEqual(labels(aGroup(90), 'drum sounds'), [])
  assert.deepEqual(labels(aGroup(90), 'drum dm-77'), ['Drum machine · Size 77 · DM-77 · Sounds'])
  assert.equal(labels(aGroup(90), 'size').length, 6)
  assert.equal(labels(aGroup(90), 'machine size 8')[0], 'Drum machine · Size 8 · DM-8 · Sounds')
})

test('choices become references to products and variants', () => {
  const group = aGroup(2)
  const [first] = group.variants
  assert.ok(first)
  const choices = [allVariantsOf(group), choiceOf(first)]
  assert.deepEqual(referencesOf(choices), { product_ids: [7], products: ['v1'] })
  assert.deepEqual(referencesOf([]), {})
})
