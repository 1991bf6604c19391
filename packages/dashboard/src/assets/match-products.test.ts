import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product, ProductGroup } from '@stowage/client'
import { searchesFor, suggestProducts } from './match-products.ts'
import { labelOf } from './product-choices.ts'

let lastId = 0

/** Each variant: its SKU, and its name. */
function aGroup(name: string, ...variants: [sku: string, variantName?: string][]): ProductGroup {
  lastId += 1
  const product = { product_id: lastId, name, vendor: '' }
  const all = variants.map(([sku, variant_name = ''], index) => ({
    ...product,
    id: `${lastId}-${index}`,
    variant_id: index + 1,
    sku,
    variant_name,
    tags: [],
  })) satisfies Product[]
  return { ...product, tags: [], variants: all, variants_total: all.length } as ProductGroup
}

function suggest(name: string, groups: ProductGroup[], path: string | null = null) {
  const [found] = suggestProducts([{ filename: name, path }], groups)
  return found && `${found.reason}: ${labelOf(found.choice.texts)}`
}

const drums = aGroup('Analog Drums', ['AD-01'])
const drums2 = aGroup('Analog Drums 2', ['AD-02'])
const course = aGroup('Mixing Course', ['MC-WAV', 'Audio'], ['MC-MP4', 'Video'])
const shop = [drums, drums2, course]

test('a file gets the product whose SKU is in its name, in any spelling', () => {
  for (const name of [
    'AD-01.zip',
    'ad_01 final.zip',
    'cover-AD01.png',
    'Analog Drums 2 ad-1.wav',
  ]) {
    assert.equal(suggest(name, shop), 'sku: Analog Drums · AD-01', name)
  }
  assert.equal(suggest('mc-mp4_part1.mp4', shop), 'sku: Mixing Course · Video · MC-MP4')
})

test('without an SKU, a file gets the product with the longest title in its name, and its variant', () => {
  assert.equal(suggest('Analog_Drums_v3.zip', shop), 'title: Analog Drums · AD-01')
  assert.equal(suggest('analog-drums-2.zip', shop), 'title: Analog Drums 2 · AD-02')
  assert.equal(suggest('AnalogDrums.zip', shop), 'title: Analog Drums · AD-01')
  assert.equal(suggest('Mixing course (video).mp4', shop), 'title: Mixing Course · Video · MC-MP4')
  assert.equal(suggest('Mixing course.pdf', shop), 'title: Mixing Course · all 2 variants')
})

test('the folder of a file counts if its own name has no SKU and no title', () => {
  assert.equal(suggest('01.wav', shop, 'packs/AD-02'), 'sku: Analog Drums 2 · AD-02')
  assert.equal(
    suggest('lesson 1.mp4', shop, 'Mixing Course'),
    'title: Mixing Course · all 2 variants',
  )
  assert.equal(suggest('AD-01.zip', shop, 'AD-02'), 'sku: Analog Drums · AD-01')
})

test('a part of a title is only similar, and of equal matches none is suggested', () => {
  assert.equal(suggest('mixing.pdf', shop), 'similar: Mixing Course · all 2 variants')
  assert.equal(suggest('drums.zip', [drums, aGroup('Modern Drums', ['MD-01'])]), undefined)
  assert.equal(suggest('same.zip', [aGroup('Same', ['']), aGroup('Same', [''])]), undefined)
  assert.equal(suggest('same-1.zip', [aGroup('A', ['SAME-1']), aGroup('B', ['SAME-1'])]), undefined)
})

test('all variants with the same SKU are the whole product, and some of them are none', () => {
  assert.equal(
    suggest('box-1.zip', [aGroup('Box', ['BOX-1', 'S'], ['BOX-1', 'L'])]),
    'sku: Box · all 2 variants',
  )
  const some = aGroup('Case', ['CASE-1', 'S'], ['CASE-1', 'L'], ['CASE-2', 'XL'])
  assert.equal(suggest('case-1.zip', [some])?.startsWith('sku'), false)
})

test('short SKUs and numbers in other names are no match', () => {
  const groups = [aGroup('Ten', ['100']), aGroup('Eleven', ['A1']), aGroup('Twelve', ['4006381'])]
  assert.equal(suggest('Top 100 loops.zip', groups), undefined)
  assert.equal(suggest('Side A 1.wav', groups), undefined)
  assert.equal(suggest('100.zip', groups), 'sku: Ten · 100')
  assert.equal(suggest('a1.wav', groups), 'sku: Eleven · A1')
  assert.equal(suggest('scan 4006381.pdf', groups), 'sku: Twelve · 4006381')
})

test('titles in other scripts match', () => {
  const groups = [aGroup('ドラム入門', ['']), aGroup('Übungsbuch für Klavier', [''])]
  assert.equal(suggest('ドラム入門_第1巻.pdf', groups), 'title: ドラム入門')
  assert.equal(
    suggest('u\u0308bungsbuch_fu\u0308r_klavier.pdf', groups),
    'title: Übungsbuch für Klavier',
  )
})

test('searches for a file start with all of its words, and keep the hyphens of SKUs', () => {
  assert.deepEqual(searchesFor('PACK-WAV_final v2.zip'), [
    'PACK-WAV final v2',
    'PACK-WAV final',
    'final v2',
    'PACK-WAV',
    'final',
    'v2',
  ])
  assert.equal(searchesFor('a b c d e f g h one two three four five.txt').length, 6)
  assert.deepEqual(searchesFor('.txt'), [])
})
