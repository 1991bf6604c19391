import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ListAssetsQuery } from '@stowage/protocol'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aFolder, aService } from '@stowage/testing/service/service'
import type { UploadQuery } from '../../../src/database/account-data.ts'
import { anUpload, KEPT } from '../../../src/database/contract/builders.ts'
import { openSqliteDatabase } from '../../../src/database/sqlite/sqlite-database.ts'
import type { ProductSelection } from '../../../src/domain/product.ts'
import { readAssetListRequest } from '../../../src/http/requests.ts'
import {
  attachProducts,
  listAssets,
  readProductsOfAssets,
  storeLink,
} from '../../../src/operations/assets.ts'
import { type AccountContext, forAccount } from '../../../src/operations/context.ts'
import {
  listProductGroups,
  listProducts,
  putProducts,
  readAssetsOfProducts,
} from '../../../src/operations/products.ts'

/* Runs on sqlite+disk and postgres+disk. */

interface CountedShop {
  rows: number
  accountId: string
  context: AccountContext
  assetIds: string[]
  productIds: number[]
  /** Runs the work and returns the SQL statements that it executed. */
  count(work: () => Promise<unknown>): Promise<string[]>
}

const USUAL_MAX = 3

/** `rows` assets and as many products, on a database that reports every statement. */
async function aCountedShop(t: TestContext, rows: number): Promise<CountedShop> {
  const { context: served } = await aService(t)
  let statements: string[] = []
  const database = await openSqliteDatabase({
    file: join(await aFolder(t), 'counted.db'),
    onStatement: (sql) => statements.push(sql),
  })
  cleanUp(t, () => database.close())
  const { id } = await database.ensureAccount({
    id: served.newId(),
    name: 'counted',
    planName: 'counted',
    planStorage: 0,
    createdAt: served.clock(),
  })
  const context = forAccount({ ...served, database }, id)
  const productIds = Array.from({ length: rows }, (_, index) => index + 1)
  await putProducts(
    context,
    productIds.map((number) => ({
      productId: number,
      variantId: number,
      name: `${number}`,
      variantName: '',
      sku: 'PACK',
      vendor: 'Shop',
      tags: [],
    })),
  )
  const assetIds: string[] = []
  for (const number of productIds) {
    const link = {
      filename: `pack ${number}`,
      path: 'course',
      url: `https://example.com/${number}`,
    }
    assetIds.push((await storeLink(context, link)).id)
  }
  return {
    rows,
    accountId: id,
    context,
    assetIds,
    productIds,
    async count(work) {
      statements = []
      await work()
      return [...statements]
    },
  }
}

function byProductIds(productIds: number[]): ProductSelection {
  return { productIds, variantIds: [], ids: [], skus: [] }
}

/** Attaches each asset to the product with the same number, and the first asset to all products. */
async function attachAll({ context, assetIds, productIds }: CountedShop): Promise<void> {
  for (const [index, id] of assetIds.entries()) {
    await attachProducts(context, id, byProductIds(productIds.slice(index, index + 1)))
  }
  await attachProducts(context, assetIds[0] ?? '', byProductIds(productIds))
}

/** The statements of each operation, by its name. */
type Counts = Record<string, string[]>

test('the number of statements does not grow with the number of rows', async (t) => {
  const few = await aCountedShop(t, 10)
  const many = await aCountedShop(t, 1000)
  /** Checks that ten and a thousand rows take the same statements, and at most `max` of them. */
  const check = async (measure: (shop: CountedShop) => Promise<Counts>, max: number) => {
    const counts = await measure(many)
    assert.deepEqual(counts, await measure(few))
    for (const [name, statements] of Object.entries(counts)) {
      assert.ok(statements.length <= max, `${name}: ${statements.join('\n')}`)
    }
  }
  /** At most `max` statements with ten rows, and at most 100 for the two thousand attachments of a thousand rows. */
  const checkSlices = async (measure: (shop: CountedShop) => Promise<Counts>, max = USUAL_MAX) => {
    for (const [shop, limit] of [
      [few, max],
      [many, 100],
    ] as const) {
      for (const [name, statements] of Object.entries(await measure(shop))) {
        assert.ok(statements.length <= limit, `${name}: ${statements.length}`)
      }
    }
  }
  /** As `check`, without the statements that record events: two per event, and each event has at most 100 products. */
  const checkWithEvents = (measure: (shop: CountedShop) => Promise<Counts>, max: number) =>
    check(async (shop) => {
      const counts = await measure(shop)
      for (const [name, statements] of Object.entries(counts)) {
        const others = statements.filter((sql) => !/last_event|into events/.test(sql))
        assert.ok(statements.length - others.length <= 2 * Math.ceil(shop.rows / 100), name)
        counts[name] = others
      }
      return counts
    }, max)
  await t.test('attaching a thousand products takes four statements, and two for each event', () =>
    checkWithEvents(countAttaching, USUAL_MAX + 1),
  )
  // The additional statement records that the asset has no products anymore.
  await t.test('detaching a thousand products takes five statements, and two for each event', () =>
    checkWithEvents(countDetaching, USUAL_MAX + 2),
  )
  await t.test('attaching by the operation takes one more statement, to read the asset', () =>
    checkWithEvents(countCalls, USUAL_MAX + 2),
  )
  await attachAll(few)
  await attachAll(many)
  await t.test('listing assets with their products takes one statement per slice', () =>
    checkSlices(countAssets),
  )
  // For each word, another statement finds out whether only few assets contain it.
  await t.test('searching assets takes one more statement for each word', () =>
    checkSlices(countSearches, USUAL_MAX + 2),
  )
  await t.test('listing products with their assets takes one statement per slice', () =>
    checkSlices(countProducts),
  )
  // The statements read a page, its total, and for each slice the variants and the totals of their products.
  await t.test('listing products with their variants takes two statements per slice', () =>
    checkSlices(countProductGroups, USUAL_MAX + 2),
  )
  await t.test('listing unfinished uploads takes two statements', () => check(countUploads, 2))
})

/** Selections of all products of the shop, by each kind of ID. */
async function everySelection({ context, productIds, rows }: CountedShop) {
  const { rows: products } = await context.data.listProducts({ page: 1, perPage: rows })
  const ids = products.map(({ id }) => id)
  const skus = [...new Set(products.map(({ sku }) => sku))]
  const none = { productIds: [], variantIds: [], ids: [], skus: [] }
  return Object.entries({
    'by product id': { ...none, productIds },
    'by variant id': { ...none, variantIds: productIds },
    'by id': { ...none, ids },
    'by SKU': { ...none, skus },
    'by all of them': { productIds, variantIds: productIds, ids, skus },
  })
}

async function attachedTo({ context }: CountedShop, id: string): Promise<number> {
  return (await context.data.productsOfAssets([id], 100_000))?.get(id)?.length ?? 0
}

async function countAttaching(shop: CountedShop): Promise<Counts> {
  const { count, context, rows } = shop
  const [id = ''] = shop.assetIds
  const counts: Counts = {}
  for (const [name, selection] of await everySelection(shop)) {
    counts[name] = await count(() => context.data.attachProducts(id, selection))
    assert.equal(await attachedTo(shop, id), rows)
    counts[`${name}, again`] = await count(() => context.data.attachProducts(id, selection))
    await context.data.detachProducts(id, selection)
  }
  return counts
}

async function countDetaching(shop: CountedShop): Promise<Counts> {
  const { count, context } = shop
  const [id = ''] = shop.assetIds
  const counts: Counts = {}
  for (const [name, selection] of await everySelection(shop)) {
    await context.data.attachProducts(id, selection)
    counts[name] = await count(() => context.data.detachProducts(id, selection))
    assert.equal(await attachedTo(shop, id), 0)
  }
  return counts
}

async function countCalls(shop: CountedShop): Promise<Counts> {
  const { count, context, productIds, rows } = shop
  const [id = ''] = shop.assetIds
  const attach = await count(async () => {
    await attachProducts(context, id, byProductIds(productIds))
  })
  assert.equal(await attachedTo(shop, id), rows)
  return { attach }
}

function countAssets(shop: CountedShop): Promise<Counts> {
  return countLists(shop, {
    all: {},
    'by name': { filename: 'pack' },
    'by type and attachment': { type: 'link', attached: true, sort: '-bytes' },
    'by sku': { sku: 'PACK' },
  })
}

function countSearches(shop: CountedShop): Promise<Counts> {
  return countLists(shop, {
    'by a word of names and products': { search: 'pack' },
    'by a word of paths': { search: 'course' },
    'by two words': { search: 'course shop', sort: 'filename' },
    'by a short word': { search: 'ck' },
  })
}

async function countLists(
  { count, context, rows }: CountedShop,
  filters: Record<string, ListAssetsQuery>,
): Promise<Counts> {
  const counts: Counts = {}
  for (const [name, filter] of Object.entries(filters)) {
    counts[name] = await count(async () => {
      const { assets } = await listAssets(context, readAssetListRequest({ limit: rows, ...filter }))
      assert.equal(assets.length, rows)
      const attached = new Map<string, number>()
      for await (const slice of readProductsOfAssets(context, assets)) {
        for (const { asset, products } of slice) {
          attached.set(asset.id, (attached.get(asset.id) ?? 0) + products.length)
        }
      }
      assert.deepEqual(
        [...attached.keys()],
        assets.map(({ id }) => id),
      )
      assert.deepEqual(new Set(attached.values()), new Set([rows, 1]))
    })
  }
  return counts
}

async function countProductGroups({ count, context, rows }: CountedShop): Promise<Counts> {
  const counts: Counts = {}
  for (const search of ['', 'pack', 'shop pack']) {
    counts[`search=${search}`] = await count(async () => {
      const { groups } = await listProductGroups(context, { page: 1, perPage: rows, search })
      const listed = (await Array.fromAsync(groups)).flat()
      assert.equal(listed.length, rows)
    })
  }
  return counts
}

async function countUploads({ count, context, rows, accountId }: CountedShop): Promise<Counts> {
  for (let index = 0; index < rows; index += 1) {
    const upload = anUpload({ accountId, size: 0 })
    assert.equal((await context.data.reserveUpload({ upload, ...KEPT })).outcome, 'reserved')
  }
  const list = (query: Partial<UploadQuery>) => async () => {
    const found = await context.data.listUploads({ page: 1, perPage: rows, ...query })
    assert.equal(found.rows.length, rows)
  }
  return { all: await count(list({})), 'by name': await count(list({ name: '.zip' })) }
}

async function countProducts({ count, context, rows }: CountedShop): Promise<Counts> {
  const all = await count(async () => {
    const { products } = await listProducts(context, { page: 1, perPage: rows })
    assert.equal(products.length, rows)
    const slices = await Array.fromAsync(readAssetsOfProducts(context, products))
    // All products except the first have the first asset and their own.
    const attached = slices
      .flat()
      .map(({ assets }) => assets.length)
      .toReversed()
    assert.deepEqual(attached, [1, ...Array.from({ length: rows - 1 }, () => 2)])
  })
  return { all }
}
