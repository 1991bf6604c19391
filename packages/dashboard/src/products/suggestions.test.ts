import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset, ProductGroup } from '@stowage/client'
import { sortByMatch } from './suggestions.ts'

const product = { name: 'Analog Drums', variants: [{ sku: 'AD-01' }, { sku: '' }] } as ProductGroup

function sort(...names: string[]) {
  const assets = names.map((filename) => ({ filename }) as Asset)
  return sortByMatch(assets, product).map(({ filename }) => filename)
}

test('files with the SKU of a product come first, then those with the most words of its name', () => {
  assert.deepEqual(sort('cover.png', 'drums.zip', 'analog_drums.zip', 'ad-01.wav'), [
    'ad-01.wav',
    'analog_drums.zip',
    'drums.zip',
    'cover.png',
  ])
})

test('a part of a word or of an SKU is no match, and the order of files without a match stays', () => {
  assert.deepEqual(sort('b.txt', 'drumstick.txt', 'ad-011.txt', 'a.txt', 'Analog.txt'), [
    'Analog.txt',
    'b.txt',
    'drumstick.txt',
    'ad-011.txt',
    'a.txt',
  ])
})
