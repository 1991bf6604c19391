import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Product } from '../../domain/product.ts'
import { type Position, type ProductSort, productPosition } from '../../domain/product-sort.ts'
import type { AccountData, ProductQuery } from '../account-data.ts'
import { aLink, aProduct, type Contract, reserve } from './builders.ts'

/** More products than SQLite compares in one statement, all with this vendor; the others have another one. */
const MANY = 6000
const FILLER = 'Filler'

const SORTS: ProductSort[] = (['created_at', 'name', 'sku', 'product_id'] as const).flatMap(
  (by) => [
    { by, descending: false },
    { by, descending: true },
  ],
)

/** The contract for the sort orders of products, and for products with and without assets. */
export function testProductOrder(contract: Contract): void {
  const { name, open } = contract
  testPages(contract, false)

  test(name('a product has assets only while a ready one is attached'), async (t) => {
    const { data } = await open(t)
    const [product] = await data.putProducts([aProduct()])
    const all = { productIds: [], variantIds: [], ids: [product?.id ?? ''], skus: [] }
    const count = async (hasAssets: boolean) =>
      (await data.listProducts({ page: 1, perPage: 5, hasAssets })).total
    const both = async () => [await count(true), await count(false)]
    const { upload } = await reserve(data)
    await data.attachProducts(upload.asset.id, all)
    assert.deepEqual(await both(), [0, 1])
    const link = await aLink(data)
    await data.attachProducts(link, all)
    assert.deepEqual(await both(), [1, 0])
    await data.trashAssets([link])
    assert.deepEqual(await both(), [0, 1])
    await data.restoreAssets([link])
    assert.deepEqual(await both(), [1, 0])
    await data.detachProducts(link, all)
    assert.deepEqual(await both(), [0, 1])
  })
}

/** The same order in a list of thousands of products. */
export function testLongProductOrder(contract: Contract): void {
  testPages(contract, true)
}

function testPages({ name, open }: Contract, isLong: boolean): void {
  const list = isLong ? 'a long list' : 'a list'
  test(
    name(`each sorted and filtered page of ${list} of products equals that of a full scan`),
    async (t) => {
      const { data } = await open(t)
      const { products, attached } = await aShop(data, isLong)
      const filters: Partial<ProductQuery>[] = [
        {},
        { hasAssets: true },
        { hasAssets: false },
        { hasAssets: false, vendor: 'éclair' },
        { hasAssets: true, words: ['drum'] },
        { vendor: 'éclair' },
        { tag: 'loop', hasAssets: false },
        { hasAssets: true, sku: 'S-3' },
      ]
      const queries = fc.record({
        filter: fc.constantFrom(...filters),
        sort: fc.constantFrom(...SORTS),
        page: fc.integer({ min: 1, max: 4 }),
        perPage: fc.integer({ min: 1, max: 12 }),
        after: fc.option(fc.nat(), { nil: undefined }),
      })
      const property = fc.asyncProperty(queries, async ({ filter, after, ...page }) => {
        const matching = products.filter((product) => matches(product, filter, attached))
        const { by, descending } = page.sort
        const positionOf = (product: Product) => productPosition(product, by)
        const listed = sorted(matching, positionOf, descending)
        const cursor = after === undefined ? undefined : products[after % products.length]
        const query = { ...page, ...filter }
        const variants = await data.listProducts({
          ...query,
          ...(cursor && { after: positionOf(cursor) }),
        })
        const expected = slice(listed, {
          ...page,
          cursor: cursor && positionOf(cursor),
          positionOf,
        })
        assert.deepEqual(
          variants.rows.map(({ id }) => id),
          expected.map(({ id }) => id),
        )
        assert.equal(variants.total, matching.length)

        const counts = Map.groupBy(matching, ({ productId }) => productId)
        const firsts = firstVariants(products).filter(({ productId }) => counts.has(productId))
        const groupPosition = (product: Product) =>
          by === 'product_id' ? [product.productId] : positionOf(product)
        const groupCursor = cursor && groupPosition(cursor)
        const groups = await data.listProductIds({
          ...query,
          ...(groupCursor && { after: groupCursor }),
        })
        const expectedGroups = slice(sorted(firsts, groupPosition, descending), {
          ...page,
          cursor: groupCursor,
          positionOf: groupPosition,
        })
        assert.deepEqual(groups, {
          rows: expectedGroups.map((product) => ({
            productId: product.productId,
            matching: counts.get(product.productId)?.length,
            ...(by !== 'product_id' && { position: groupPosition(product) }),
          })),
          total: firsts.length,
        })
      })
      await fc.assert(property, { numRuns: isLong ? 30 : 150 })
    },
  )
}

/** Products 1 to 9 with several variants each, added in no particular order, some with an asset. */
async function aShop(data: AccountData, isLong: boolean) {
  const names = [
    'drum 2',
    'Drum 10',
    'éclair',
    '弦楽器',
    `${'n'.repeat(199)}x`,
    `${'n'.repeat(199)}xy`,
  ]
  const products = Array.from({ length: 40 }, (_, index) =>
    aProduct({
      productId: 1 + ((index * 7) % 9),
      variantId: 100 - index,
      name: names[index % names.length] ?? '',
      variantName: index % 4 === 0 ? '' : `V${index % 3}`,
      sku: index % 5 === 0 ? '' : `${index % 2 === 0 ? 's' : 'S'}-${index % 7}`,
      vendor: index % 2 === 0 ? 'Éclair' : 'Other',
      tags: index % 5 === 0 ? ['Loop'] : [],
    }),
  )
  const filler = Array.from({ length: isLong ? MANY : 0 }, (_, index) =>
    aProduct({ productId: 100 + (index % 2000), variantId: index, vendor: FILLER, tags: [] }),
  )
  const all = [...filler.slice(0, MANY / 2), ...products, ...filler.slice(MANY / 2)]
  for (let at = 0; at < all.length; at += 1000) await data.putProducts(all.slice(at, at + 1000))
  const some = all.filter((_, index) => index % 3 === 0)
  const asset = await aLink(data)
  for (let at = 0; at < some.length; at += 1000) {
    const ids = some.slice(at, at + 1000).map(({ id }) => id)
    await data.attachProducts(asset, { productIds: [], variantIds: [], ids, skus: [] })
  }
  return { products: all, attached: new Set(some.map(({ id }) => id)) }
}

function matches(product: Product, query: Partial<ProductQuery>, attached: Set<string>): boolean {
  const { hasAssets, vendor, words, tag, sku } = query
  return (
    (hasAssets === undefined || attached.has(product.id) === hasAssets) &&
    (vendor === undefined || product.vendor === 'Éclair') &&
    (words === undefined || product.name.toLowerCase().includes('drum')) &&
    (tag === undefined || product.tags.includes('Loop')) &&
    (sku === undefined || product.sku === sku)
  )
}

function firstVariants(products: Product[]): Product[] {
  return [...Map.groupBy(products, ({ productId }) => productId).values()].flatMap(
    (variants) => variants.toSorted((a, b) => a.variantId - b.variantId)[0] ?? [],
  )
}

function compare(one: Position, other: Position): number {
  for (const [index, value] of one.entries()) {
    const [a, b] = [value, other[index] ?? '']
    if (a !== b)
      return typeof a === 'number'
        ? a - Number(b)
        : Buffer.compare(Buffer.from(a), Buffer.from(`${b}`))
  }
  return 0
}

function sorted(
  products: Product[],
  positionOf: (product: Product) => Position,
  descending: boolean,
) {
  const keyed = products.map((product) => ({ product, position: positionOf(product) }))
  keyed.sort((a, b) => compare(a.position, b.position) * (descending ? -1 : 1))
  return keyed.map(({ product }) => product)
}

interface Slice {
  page: number
  perPage: number
  sort: ProductSort
  cursor: Position | undefined
  positionOf: (product: Product) => Position
}

function slice(products: Product[], { page, perPage, sort, cursor, positionOf }: Slice): Product[] {
  if (cursor === undefined) return products.slice((page - 1) * perPage, page * perPage)
  const isAfter = (product: Product) => {
    const order = compare(positionOf(product), cursor)
    return sort.descending ? order < 0 : order > 0
  }
  return products.filter(isAfter).slice(0, perPage)
}
