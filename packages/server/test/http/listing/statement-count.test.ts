import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ListAssetsQuery } from '@stowage/protocol'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aFolder, aService } from '@stowage/testing/service/service'
import type { UploadQuery } from '../../../src/database/account-data.ts'
import { anUpload, KEPT } from '../../../src/database/contract/builders.ts'
import type { Database } from '../../../src/database/database.ts'
import { openPostgresDatabase } from '../../../src/database/postgres/postgres-database.ts'
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

const FEW = 10
/** Creating a row takes many times as long on PostgreSQL. */
const MANY = areEmbedded ? 1000 : 150

/** A database on the engine of this run, which reports every statement. */
async function openDatabase(t: TestContext, onStatement: (sql: string) => void): Promise<Database> {
  const { STOWAGE_TEST_POSTGRES: server } = process.env
  const open = async () => {
    if (server === undefined) {
      return openSqliteDatabase({ file: join(await aFolder(t), 'counted.db'), onStatement })
    }
    const { aDatabase } = await import('@stowage/testing/engines/a-database')
    const url = await aDatabase(t, server)
    const limits = { poolSize: 2, statementTimeoutMs: 60_000 }
    return openPostgresDatabase({ url, ...limits, tls: 'off', onStatement })
  }
  const database = await open()
  cleanUp(t, () => database.close())
  return database
}

/** `rows` assets and as many products, on a database that reports every statement. */
async function aCountedShop(t: TestContext, rows: number): Promise<CountedShop> {
  const { context: served } = await aService(t)
  let statements: string[] = []
  const database = await openDatabase(t, (sql) => {
    // Sent after a commit, to wake other instances: at once, or together with later ones.
    if (!sql.includes('pg_notify')) statements.push(sql)
  })
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
    assetIds.push((await storeLink(context, link)).asset.id)
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

/** The exact number of statements of an operation with `FEW` and with `MANY` rows. */
type Numbers = [few: number, many: number]

test('the number of statements does not grow with the number of rows', async (t) => {
  const few = await aCountedShop(t, FEW)
  const many = await aCountedShop(t, MANY)
  const check = async (
    measure: (shop: CountedShop) => Promise<Counts>,
    expected: Record<'sqlite' | 'postgres', Record<string, Numbers>>,
  ) => {
    const [ofFew, ofMany] = [await measure(few), await measure(many)]
    const numbers = Object.keys(ofFew).map((name) => [
      name,
      [ofFew[name]?.length, ofMany[name]?.length],
    ])
    assert.deepEqual(Object.fromEntries(numbers), expected[areEmbedded ? 'sqlite' : 'postgres'])
    return { ofFew, ofMany }
  }
  /** As `check`. Both must also be the same statements, except for those that only record events. */
  const checkSame = async (...args: Parameters<typeof check>) => {
    const { ofFew, ofMany } = await check(...args)
    for (const name in ofFew) {
      assert.deepEqual(ofMany[name]?.filter(isNoEvent), ofFew[name]?.filter(isNoEvent))
    }
  }

  // SQLite records each event with two statements, and an event has at most 100 products. Another one records whether the
  // asset has products. The statements of PostgreSQL include `begin` and `commit`.
  await t.test('attaching many products takes the same statements as attaching few', () =>
    checkSame(countAttaching, {
      sqlite: { ...bySelection([7, 25]), ...bySelection([4, 4], ', again') },
      postgres: { ...bySelection([6, 6]), ...bySelection([5, 5], ', again') },
    }),
  )
  await t.test('detaching many products takes the same statements as detaching few', () =>
    checkSame(countDetaching, { sqlite: bySelection([7, 25]), postgres: bySelection([6, 6]) }),
  )
  await t.test('attaching by the operation takes one more statement, to read the asset', () =>
    checkSame(countCalls, { sqlite: { attach: [8, 26] }, postgres: { attach: [7, 7] } }),
  )
  await attachAll(few)
  await attachAll(many)
  await t.test('listing assets with their products takes one statement per slice', async () => {
    await check(countAssets, {
      sqlite: {
        all: [3, 42],
        'by name': [3, 42],
        'by type and attachment': [3, 42],
        'by sku': [3, 42],
      },
      postgres: {
        all: [2, 17],
        'by name': [3, 18],
        'by type and attachment': [7, 22],
        'by sku': [5, 20],
      },
    })
  })
  // For each word, another statement finds out whether only few assets contain it.
  await t.test('searching assets takes one more statement for each word', async () => {
    await check(countSearches, {
      sqlite: {
        'by a word of names and products': [4, 43],
        'by a word of paths': [4, 43],
        'by two words': [4, 45],
        'by a short word': [5, 44],
      },
      postgres: {
        'by a word of names and products': [4, 19],
        'by a word of paths': [4, 19],
        'by two words': [4, 21],
        'by a short word': [7, 22],
      },
    })
  })
  await t.test('listing products with their assets takes one statement per slice', async () => {
    await check(countProducts, { sqlite: { all: [3, 8] }, postgres: { all: [2, 2] } })
  })
  // The statements read a page, its total, and for each slice the variants and the totals of their products.
  await t.test('listing products with their variants takes two statements per slice', async () => {
    await check(countProductGroups, {
      sqlite: { 'search=': [4, 82], 'search=pack': [5, 83], 'search=shop pack': [5, 83] },
      postgres: { 'search=': [3, 13], 'search=pack': [3, 13], 'search=shop pack': [3, 13] },
    })
  })
  await t.test('listing unfinished uploads takes a fixed number of statements', () =>
    checkSame(countUploads, {
      sqlite: { all: [2, 2], 'by name': [2, 2] },
      postgres: { all: [1, 1], 'by name': [1, 1] },
    }),
  )
})

const SELECTIONS = ['by product id', 'by variant id', 'by id', 'by SKU', 'by all of them']

/** The same numbers for every selection. */
function bySelection(numbers: Numbers, suffix = ''): Record<string, Numbers> {
  return Object.fromEntries(SELECTIONS.map((name) => [`${name}${suffix}`, numbers]))
}

/** On PostgreSQL, one statement records all events, and makes the change, too. */
function isNoEvent(sql: string): boolean {
  return !areEmbedded || !/last_event|into events/.test(sql)
}

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
