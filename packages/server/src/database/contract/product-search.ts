import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Product } from '../../domain/product.ts'
import { foldText } from '../../domain/search-text.ts'
import { hasWords, searchWords } from '../../domain/search-words.ts'
import type { AccountData, ProductGroupQuery } from '../account-data.ts'
import { aLink, anAccount, aProduct, type Contract } from './builders.ts'

const PRODUCTS = [
  aProduct({ productId: 1, variantId: 11, name: 'Pack of dusty drums', variantName: 'WAV' }),
  aProduct({ productId: 1, variantId: 12, name: 'Pack of dusty drums', variantName: 'MP3' }),
  aProduct({ productId: 2, variantId: 21, name: 'Straße 100%_a', sku: 'ÄB-7', vendor: 'Éclair' }),
  aProduct({
    productId: 3,
    variantId: 31,
    name: '弦楽器 👩‍🚀',
    variantName: 'مرحبا',
    sku: '',
    vendor: '',
  }),
]

/** The contract for finding products by words, and for listing them with their variants. */
export function testProductSearch({ name, open }: Contract): void {
  test(
    name('every word is found in the name, variant, SKU or vendor, in any order and case'),
    async (t) => {
      const { data } = await open(t)
      await data.putProducts(PRODUCTS)
      const expected: [string, number[]][] = [
        ['dusty pack', [12, 11]],
        ['DRUM usty', [12, 11]],
        ['drums mp3', [12]],
        ['sounds dusty', [12, 11]],
        ['pack-wav', [12, 11]],
        ['dustypack', []],
        ['drumswav', []],
        ['dusty piano', []],
        ['STRASSE éclair', [21]],
        ['äb-7', [21]],
        ['ÄB', [21]],
        ['%', [21]],
        ['_', [21]],
        ['%_', [21]],
        ['弦', [31]],
        ['👩‍🚀', [31]],
        ['مرحبا 楽', [31]],
        ['a', [21, 12, 11]],
        ['" OR "', []],
      ]
      for (const [text, variants] of expected) {
        const query = { page: 1, perPage: 10, words: searchWords(text) }
        const { rows, total } = await data.listProducts(query)
        const found = rows.map(({ variantId }) => variantId)
        assert.deepEqual([found, total], [variants, variants.length], text)
      }
      const combined = { page: 1, perPage: 10, words: ['dusty'], name: 'mp3', sku: 'PACK-WAV' }
      assert.equal((await data.listProducts(combined)).total, 1)
    },
  )

  test(name('a changed product is found by its current texts only'), async (t) => {
    const { database, data } = await open(t)
    await data.putProducts([aProduct({ sku: 'OLD-1', vendor: 'Ancient' })])
    await data.putProducts([aProduct({ sku: 'NEW-2', vendor: 'Modern' })])
    const theirs = database.of((await anAccount(database, 'other')).id)
    await theirs.putProducts([aProduct({ sku: 'OLD-1' })])
    const count = async (text: string) =>
      (await data.listProducts({ page: 1, perPage: 10, words: searchWords(text) })).total
    assert.deepEqual([await count('old-1'), await count('ancient')], [0, 0])
    assert.deepEqual([await count('new-2'), await count('modern'), await count('ew')], [1, 1, 1])
  })

  test(name('each page of products with their variants equals that of a full scan'), async (t) => {
    const { data } = await open(t)
    // Products 1 to 9 with 4 or 5 variants each, added in no particular order.
    const products = Array.from({ length: 40 }, (_, index) =>
      aProduct({
        productId: 1 + ((index * 7) % 9),
        variantId: 100 - index,
        name: index % 9 === 3 ? 'piano' : 'drum',
        sku: `S${index}`,
        vendor: index % 2 === 0 ? 'Éclair' : 'Other',
        tags: index % 5 === 0 ? ['Loop'] : [],
      }),
    )
    await data.putProducts(products)
    const filters: Partial<ProductGroupQuery>[] = [
      {},
      { words: ['piano'] },
      { words: ['s1', 'ru'] },
      { vendor: 'éclair' },
      { tag: 'loop', name: 'drum' },
      { sku: 'S7' },
      { productId: 4 },
      { variantId: 99 },
      { words: ['nothing'] },
    ]
    const queries = fc.record({
      filter: fc.constantFrom(...filters),
      page: fc.integer({ min: 1, max: 5 }),
      perPage: fc.integer({ min: 1, max: 6 }),
      after: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
    })
    const property = fc.asyncProperty(queries, async ({ filter, after, ...page }) => {
      const query = { ...page, ...filter, ...(after !== undefined && { after }) }
      const { rows, total } = await data.listProductIds(query)
      assert.deepEqual({ rows, total }, scan(products, query))
      const ids = rows.map(({ productId }) => productId)
      const groups = await data.readProductGroups(ids, { variants: 3, attachments: 10 })
      assert.deepEqual(
        groups,
        ids.map((productId) => {
          const variants = variantsOf(products, productId)
          const first = variants.slice(0, 3)
          return { productId, variants: first, variantsTotal: variants.length, assetsTotal: 0 }
        }),
      )
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test(name('a product counts each ready asset of its variants once'), async (t) => {
    const { database, data } = await open(t)
    const products = Array.from({ length: 6 }, (_, variantId) =>
      aProduct({ productId: variantId < 4 ? 1 : 2, variantId }),
    )
    await data.putProducts(products)
    const [one, two, gone] = [await aLink(data), await aLink(data), await aLink(data)]
    await attach(data, one, { productIds: [1] })
    await attach(data, two, { variantIds: [0, 3, 5] })
    await attach(data, gone, { productIds: [1, 2] })
    await data.deleteAsset(gone)
    const read = (attachments: number, ofAsset?: string) =>
      data.readProductGroups([2, 1, 9], { variants: 2, attachments, ofAsset })
    const totals = (await read(6)).map(({ productId, assetsTotal }) => [productId, assetsTotal])
    assert.deepEqual(totals, [
      [2, 1],
      [1, 2],
    ])
    assert.equal((await read(5))[1]?.assetsTotal, null)
    assert.deepEqual(await data.listProductIds({ page: 1, perPage: 5, ofAsset: two }), {
      rows: [
        { productId: 2, matching: 1 },
        { productId: 1, matching: 2 },
      ],
      total: 2,
    })
    assert.deepEqual(await read(5, two), [
      { productId: 2, variants: [products[5]], variantsTotal: 2 },
      { productId: 1, variants: [products[0], products[3]], variantsTotal: 4 },
    ])
    const theirs = database.of((await anAccount(database, 'other')).id)
    const options = { variants: 2, attachments: 5 }
    assert.deepEqual(await theirs.readProductGroups([1, 2], options), [])
    assert.deepEqual(await theirs.readProductGroups([1, 2], { ...options, ofAsset: two }), [])
  })
}

async function attach(
  data: AccountData,
  asset: string,
  selection: { productIds?: number[]; variantIds?: number[] },
): Promise<void> {
  const all = { productIds: [], variantIds: [], ids: [], skus: [], ...selection }
  assert.deepEqual(await data.attachProducts(asset, all), { outcome: 'done' })
}

function variantsOf(products: Product[], productId: number): Product[] {
  const variants = products.filter((product) => product.productId === productId)
  return variants.toSorted((a, b) => a.variantId - b.variantId)
}

/** The expected products and total, from a scan of all variants. */
function scan(products: Product[], query: ProductGroupQuery) {
  const { words = [], name: part = '', vendor, tag, sku, productId, variantId } = query
  const matching = products.filter((product) => {
    const names = foldText(`${product.name} ${product.variantName}`)
    return (
      hasWords(foldText(`${names} ${product.sku} ${product.vendor}`), words) &&
      names.includes(part) &&
      (vendor === undefined || foldText(product.vendor) === vendor) &&
      (tag === undefined || product.tags.map(foldText).includes(tag)) &&
      (sku === undefined || product.sku === sku) &&
      (productId === undefined || product.productId === productId) &&
      (variantId === undefined || product.variantId === variantId)
    )
  })
  const groups = [...Map.groupBy(matching, (product) => product.productId)]
    .map(([id, variants]) => ({ productId: id, matching: variants.length }))
    .sort((a, b) => b.productId - a.productId)
  const { after, page, perPage } = query
  const rows =
    after === undefined
      ? groups.slice((page - 1) * perPage, page * perPage)
      : groups.filter((group) => group.productId < after).slice(0, perPage)
  return { rows, total: groups.length }
}
