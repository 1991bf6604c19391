import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Asset } from '../../domain/asset.ts'
import { type Cursor, cursorText, readCursor } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import { foldText, hasWords, sortName } from '../../domain/search.ts'
import type { AccountData, AssetQuery, AssetRecord, Rows } from '../account-data.ts'
import {
  aLink,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  firstVersion,
  NEWEST,
  NOON,
} from './builders.ts'

/** More assets than fit into one block of the listing. */
const MANY = 4500
/** So many assets that a first search does not wait until all of their blocks are counted. */
export const VERY_MANY = 11_000
/** How many random lists are compared. */
const RUNS = Number(process.env.LIST_RUNS ?? 15)
const WORDS = ['drum', 'guitar', 'piano']
const PATHS = ['course', 'course/week 1', 'course 2', null]

/** The contract for lists that are too long to be read in full. */
export function testLongLists({ name, open }: Contract): void {
  test(
    name('after any changes every page and total matches a full scan of the assets'),
    async (t) => {
      const { account, data } = await open(t, { planStorage: 1_000_000 })
      const model = await fillLongList(data, account.id)
      const products = new Map<number, Product>()
      const put = async (number: number, name: string) => {
        const [stored] = await data.putProducts([aProduct({ variantId: number, name })])
        if (stored !== undefined) products.set(number, stored)
      }
      for (const number of [0, 1, 2]) await put(number, `product ${number}`)
      const selectionOf = (index: number) => ({
        ids: [...products.values()].map(({ id }) => id).slice(index % 3, (index % 3) + 1),
        productIds: [],
        variantIds: [],
        skus: [],
      })
      // The numbers of the products of each asset.
      const attachments = new Map<string, Set<number>>()
      const change: Record<string, (asset: Asset, index: number) => Promise<void>> = {
        async rename(asset) {
          const filename = `renamed ${asset.filename}`
          await data.changeAsset(asset.id, { filename })
          model.set(asset.id, { ...asset, filename })
        },
        async move(asset) {
          const path = asset.path === 'moved' ? null : 'moved'
          await data.changeAsset(asset.id, { path })
          model.set(asset.id, { ...asset, path })
        },
        async remove(asset) {
          await data.deleteAsset(asset.id)
          model.delete(asset.id)
        },
        async add() {
          const id = await aReadyAsset(data, { filename: 'drum, new' })
          const asset = await data.findAsset(id)
          if (asset !== undefined) model.set(id, asset)
        },
        async addLink() {
          const id = await aLink(data, { filename: 'a linked guitar' })
          const asset = await data.findAsset(id)
          if (asset !== undefined) model.set(id, asset)
        },
        async resize(asset) {
          // The size of a file can't change.
          if (asset.kind === 'file') return
          const bytes = asset.bytes + 1000
          await data.changeAsset(asset.id, { bytes })
          model.set(asset.id, { ...asset, bytes })
        },
        async attach(asset, index) {
          await data.attachProducts(asset.id, selectionOf(index))
          attachments.set(asset.id, new Set([...(attachments.get(asset.id) ?? []), index % 3]))
        },
        async detach(asset, index) {
          await data.detachProducts(asset.id, selectionOf(index))
          attachments.get(asset.id)?.delete(index % 3)
        },
        async renameProduct(_, index) {
          const renamed = (products.get(index % 3)?.name ?? '').length < 20
          await put(index % 3, renamed ? `dusty product ${index}, a guitar` : 'product')
        },
        async replaceProduct(_, index) {
          const old = products.get(index % 3)
          if (old !== undefined) await data.deleteProduct(old.id)
          await put(index % 3, 'new product')
          for (const numbers of attachments.values()) numbers.delete(index % 3)
        },
      }
      const steps = fc.record({
        changes: fc.array(fc.tuple(fc.constantFrom(...Object.keys(change)), fc.nat()), {
          maxLength: 3,
        }),
        wanted: queries(),
        // The list starts after any asset, even one that does not match the filter or is deleted meanwhile.
        cursorAt: fc.option(fc.nat(), { nil: undefined }),
      })
      const property = fc.asyncProperty(steps, async ({ changes, wanted, cursorAt }) => {
        const before = [...model.values()]
        const last = cursorAt === undefined ? undefined : before[cursorAt % before.length]
        const query = { ...wanted, ...(last && { after: cursorOf(last, wanted.sort.by) }) }
        for (const [kind, index] of changes) {
          const assets = [...model.values()]
          const asset = assets[index % assets.length]
          if (asset !== undefined) await change[kind]?.(asset, index)
        }
        const productsOf = ({ id }: Asset) =>
          [...(attachments.get(id) ?? [])].flatMap((number) => products.get(number) ?? [])
        const expected = listed([...model.values()], productsOf, query)
        const { rows, total } = await data.listAssets(query)
        assert.deepEqual({ ids: idsOf(rows), total }, expected)
      })
      // Each run changes the database, so fast-check can't shrink a failure.
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
    },
  )

  test(
    name('the first pages of a long list have bounds instead of a total, until it is counted'),
    async (t) => {
      const { account, data } = await open(t, { planStorage: 1_000_000 })
      const assets = [...(await fillLongList(data, account.id, VERY_MANY)).values()]
      const filters = [{ words: ['r'] }, { name: 'r' }, { kind: 'file' }]
      const sorts = [NEWEST, BY_NAME, { by: 'bytes', descending: true } as const]
      for (const [index, filter] of (filters as Partial<AssetQuery>[]).entries()) {
        const sort = sorts[index % sorts.length] ?? NEWEST
        const all: AssetQuery = { page: 1, perPage: VERY_MANY, sort, ...filter }
        const { ids, total } = listed(assets, () => [], all)
        const cursor = assets[VERY_MANY / 2]
        const near = [
          { page: 1, perPage: 25 },
          { page: 7, perPage: 25 },
          { page: 1, perPage: 1000 },
          { page: 1, perPage: 26, after: cursor && cursorOf(cursor, sort.by) },
        ]
        for (const page of near) {
          const query = { sort, ...filter, ...page } as AssetQuery
          const found = await data.listAssets(query)
          assert.deepEqual(idsOf(found.rows), listed(assets, () => [], query).ids)
          const { atLeast = found.total } = found
          assert.ok(atLeast >= found.rows.length && atLeast <= total, JSON.stringify(query))
          assert.ok(found.total >= total && found.total <= VERY_MANY, JSON.stringify(query))
          if (page.perPage < 100) assert.ok(atLeast < found.total, JSON.stringify(query))
        }
        // A client that reads all pages up to the last one reads all rows, although others become ready meanwhile.
        const seen: string[] = []
        const { total: most } = await data.listAssets({ sort, ...filter, page: 1, perPage: 1000 })
        for (let page = 1; page <= Math.ceil(most / 1000); page += 1) {
          seen.push(
            ...idsOf((await data.listAssets({ sort, ...filter, page, perPage: 1000 })).rows),
          )
        }
        assert.deepEqual(seen, ids)
        // The far pages have counted all matches.
        const counted = await data.listAssets({ sort, ...filter, page: 1, perPage: 25 })
        assert.deepEqual([counted.total, counted.atLeast], [total, undefined])
      }
    },
  )

  test(name('a list is counted before it is returned if its exact total is wanted'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1_000_000 })
    await fillLongList(data, account.id, VERY_MANY)
    const query = { page: 1, perPage: 25, sort: NEWEST, name: 'r' }
    const bounded = await data.listAssets(query)
    assert.ok(bounded.atLeast !== undefined)
    const { total, atLeast } = await data.listAssets({ ...query, exactTotal: true })
    assert.deepEqual([total, atLeast], [7334, undefined])
    // A few changed blocks are counted again at once.
    await aReadyAsset(data, { filename: 'drum, new' })
    const changed = await data.listAssets(query)
    assert.deepEqual([changed.total, changed.atLeast], [7335, undefined])
  })

  test(name('a page and its total come from one snapshot while assets change'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1_000_000 })
    const [first = ''] = (await fillLongList(data, account.id)).keys()
    let isOver = false
    const keepChanging = async () => {
      while (!isOver) {
        const id = await aLink(data, { filename: 'piano' })
        await data.changeAsset(first, { filename: 'flute' })
        await data.deleteAsset(id)
        await data.changeAsset(first, { filename: 'a piano' })
      }
    }
    const changing = [keepChanging(), keepChanging()]
    try {
      for (const filter of [{}, { name: 'piano' }, { name: 'pi' }, { kind: 'link' as const }]) {
        for (let round = 0; round < 4; round += 1) {
          const query = { page: 1, perPage: 10_000, sort: NEWEST, ...filter }
          const { rows, total } = await data.listAssets(query)
          assert.equal(rows.length, total, JSON.stringify(filter))
        }
      }
    } finally {
      isOver = true
      await Promise.all(changing)
    }
  })

  test(name('assets that become ready concurrently are all counted in their blocks'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1_000_000 })
    await fillLongList(data, account.id, 1985)
    await Promise.all(Array.from({ length: 40 }, () => aReadyAsset(data, { filename: 'x' })))
    const query = { page: 40, perPage: 50, sort: { by: 'created_at', descending: false } } as const
    const { rows, total } = await data.listAssets(query)
    assert.deepEqual([rows.length, total], [50, 2025])
  })
}

/** Adds this many assets, and returns them. */
export async function fillLongList(data: AccountData, accountId: string, count = MANY) {
  const records = Array.from({ length: count }, (_, index) => aRecord(accountId, index))
  for (let start = 0; start < count; start += 3000) {
    await data.importRecords({ keys: [], assets: records.slice(start, start + 3000) })
  }
  return new Map(records.map(({ asset }) => [asset.id, asset]))
}

function aRecord(accountId: string, index: number): AssetRecord {
  const filename = `${WORDS[index % WORDS.length]} ${index}`
  const path = PATHS[index % PATHS.length] ?? null
  const facts = { accountId, filename, path, size: index % 7 }
  const { asset, id, chunkSize, expiresAt } = anUpload(facts)
  return {
    asset: { ...asset, status: 'ready' },
    upload: { id, chunkSize, expiresAt },
    idempotency: undefined,
    changedAt: NOON,
    productIds: [],
    ...firstVersion({ asset }),
  }
}

function queries(): fc.Arbitrary<AssetQuery> {
  const filters = [
    {},
    { name: 'r' },
    { name: 'drum' },
    { name: 'renamed' },
    { name: 'nothing' },
    { kind: 'file' },
    { kind: 'link' },
    { attached: true },
    { attached: false, name: 'guitar' },
    { folder: 'course/' },
    { folder: 'moved/' },
    { folder: 'course/week 1/', name: 'drum' },
    { folder: 'course/', attached: false },
    { words: ['r'] },
    { words: ['guitar'] },
    { words: ['guitar', '12'] },
    { words: ['product', 'drum'] },
    { words: ['dusty'] },
    { words: ['dusty', 'pi'] },
    { words: ['product'], attached: true, name: 'renamed' },
    { words: ['nothing', 'r'] },
    { words: ['renamed'], kind: 'file' },
    { words: ['course'] },
    { words: ['week', 'drum'] },
    { words: ['moved'] },
    { words: ['ours', 'product'] },
    { words: ['co'], attached: false },
  ] as const
  const by = fc.constantFrom('created_at', 'created_at', 'filename', 'bytes')
  return fc
    .record({
      page: fc.integer({ min: 1, max: 100 }),
      perPage: fc.constantFrom(3, 50, 1000),
      sort: fc.record({ by, descending: fc.boolean() }),
      filter: fc.constantFrom(...filters),
    })
    .map(({ filter, ...page }): AssetQuery => ({ ...page, ...filter }))
}

/** Remembers results: every scan folds the same thousands of names. */
function remember(compute: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const result = known.get(text) ?? compute(text)
    known.set(text, result)
    return result
  }
}

const folded = remember(foldText)
const sortKey = remember(sortName)

/** The expected list, from a scan of all assets. */
function listed(assets: Asset[], productsOf: (asset: Asset) => Product[], query: AssetQuery) {
  const { page, perPage, sort, words = [], name = '', folder = '', kind, after } = query
  const textOf = (asset: Asset) =>
    [
      asset.filename,
      asset.path ?? '',
      ...productsOf(asset).flatMap((one) => [one.name, one.variantName, one.sku, one.vendor]),
    ]
      .map(folded)
      .join(' ')
  const matching = assets.filter(
    (asset) =>
      folded(asset.filename).includes(name) &&
      `${asset.path ?? ''}/`.startsWith(folder) &&
      (kind === undefined || asset.kind === kind) &&
      (query.attached === undefined || productsOf(asset).length > 0 === query.attached) &&
      hasWords(textOf(asset), words),
  )
  const keyOf = (asset: Asset) =>
    ({ created_at: '', filename: sortKey(asset.filename), bytes: asset.bytes })[sort.by]
  matching.sort((a, b) => compare(keyOf(a), keyOf(b)) || compare(a.id, b.id))
  if (sort.descending) matching.reverse()
  const isAfter =
    ({ value = '', id }: Cursor) =>
    (asset: Asset) => {
      const order = compare(keyOf(asset), value) || compare(asset.id, id)
      return sort.descending ? order < 0 : order > 0
    }
  const rows =
    after === undefined
      ? matching.slice((page - 1) * perPage, page * perPage)
      : matching.filter(isAfter(after)).slice(0, perPage)
  return { ids: idsOf(rows), total: matching.length }
}

function cursorOf(asset: Asset, by: AssetQuery['sort']['by']): Cursor {
  const cursor = readCursor(cursorText(asset, by), by)
  assert.ok(cursor)
  return cursor
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : Number(a > b)
}

function idsOf(assets: Asset[]): string[] {
  return assets.map(({ id }) => id)
}

const ROUNDS = 15
/** So many rows that the last page is not found by skipping rows one by one. */
const MANY_ROWS = 3005
const PER_PAGE = 1000
const FAR = { page: 4, perPage: PER_PAGE }
const BY_NAME = { by: 'filename', descending: false } as const

/** The contract for lists that are read while other clients add and remove rows: a page matches its total. */
export function testChangingLists({ name, open }: Contract): void {
  test(name('a page of products and its total match while products change'), async (t) => {
    const { data } = await open(t)
    for (let start = 1; start <= MANY_ROWS; start += PER_PAGE) {
      const length = Math.min(PER_PAGE, MANY_ROWS + 1 - start)
      const some = Array.from({ length }, (_, index) => start + index)
      await data.putProducts(some.map((id) => aProduct({ productId: id, variantId: id, sku: '' })))
    }
    const few = Array.from({ length: 5 }, (_, id) => aProduct({ productId: id, variantId: id }))
    await data.putProducts(few)
    const change = async (client: number) => {
      const id = 10_000 + client
      const [product] = await data.putProducts([aProduct({ productId: id, variantId: id })])
      await data.deleteProduct(product?.id ?? '')
    }
    const first = { page: 1, perPage: 10, sku: aProduct().sku }
    await whileChanging(change, async () => {
      await checkPages(() => data.listProducts(first), 0)
      await checkPages(() => data.listProductIds(first), 0)
      await checkPages(() => data.listProducts(FAR), 3 * PER_PAGE)
      await checkPages(() => data.listProductIds(FAR), 3 * PER_PAGE)
    })
  })

  test(name('a page of assets and its total match while assets change'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1_000_000 })
    await fillLongList(data, account.id, MANY_ROWS)
    await data.putProducts([aProduct()])
    for (let index = 0; index < 5; index += 1) await attach(data, await aLink(data))
    const change = async () => {
      const id = await aLink(data, { filename: 'a first name' })
      await attach(data, id)
      await data.deleteAsset(id)
    }
    const first = { page: 1, perPage: 10, sort: BY_NAME, sku: aProduct().sku }
    await whileChanging(change, async () => {
      await checkPages(() => data.listAssets(first), 0)
      await checkPages(() => data.listAssets({ ...FAR, sort: BY_NAME }), 3 * PER_PAGE)
    })
  })
}

/** Checks in every round that the page has every row from `offset` on. */
async function checkPages(list: () => Promise<Rows<unknown>>, offset: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rows, total } = await list()
    assert.equal(rows.length, total - offset)
  }
}

/** Does the work while two clients repeat the change. */
async function whileChanging(
  change: (client: number) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const keep = async (client: number) => {
    while (!isOver) await change(client)
  }
  const changing = [keep(0), keep(1)]
  try {
    await work()
  } finally {
    isOver = true
    await Promise.all(changing)
  }
}

async function attach(data: AccountData, id: string): Promise<void> {
  const none = { ids: [], variantIds: [], skus: [] }
  await data.attachProducts(id, { ...none, productIds: [aProduct().productId] })
}
