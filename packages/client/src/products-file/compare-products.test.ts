import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareProducts } from './index.ts'

const details = {
  product_id: 1,
  variant_id: 2,
  name: 'Pack',
  variant_name: 'WAV',
  sku: 'P',
  vendor: 'V',
  tags: ['a', 'b'],
}
const stored = { ...details, id: '01981d2c-5a7e-7a10-b2c3-d4e5f6071829' }

test('a product is new, unchanged, or changed in the fields that differ', () => {
  const compared = compareProducts(
    [
      { line: 2, details },
      { line: 3, details: { ...details, variant_id: 3 } },
    ],
    [stored],
  )
  assert.deepEqual(
    compared.map(({ line, outcome }) => [line, outcome]),
    [
      [2, 'unchanged'],
      [3, 'new'],
    ],
  )
  const [changed] = compareProducts([{ line: 2, details: { ...details, tags: ['b'] } }], [stored])
  assert.equal(changed?.outcome, 'changed')
  assert.deepEqual(changed?.changes, [{ field: 'tags', before: 'a, b', after: 'b' }])
})

test('a missing field is no change, but an empty field is', () => {
  const { vendor: _, ...rest } = details
  const [same] = compareProducts([{ line: 2, details: rest }], [stored])
  assert.deepEqual([same?.outcome, same?.changes, same?.stored], ['unchanged', [], stored])
  const [changed] = compareProducts([{ line: 2, details: { ...rest, vendor: '' } }], [stored])
  assert.deepEqual(changed?.changes, [{ field: 'vendor', before: 'V', after: '' }])
})

test('a tag with a comma is different from two tags', () => {
  const [changed] = compareProducts(
    [{ line: 2, details: { ...details, tags: ['a, b'] } }],
    [stored],
  )
  assert.deepEqual(changed?.changes, [{ field: 'tags', before: 'a, b', after: '“a, b”' }])
})
