import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { copySqliteTemplate } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import type { AccountData } from '../account-data.ts'
import { anAccount, NEWEST } from '../contract/builders.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

/* Runs in its own process: it measures delays. */

/** More rows than one statement checks, and than one step reads. */
const MANY = 6000

/** The rows of each list. Their IDs are not in the order in which they are inserted. */
const ROWS = Array.from({ length: MANY }, (_, index) => {
  const number = (index * 7919) % MANY
  return {
    id: `0198a000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    number,
    name: `${number % 3 === 0 ? 'drum' : 'piano'} ${number}`,
    /** Many assets are moved to the trash at the same time. */
    trashedAt: number % 50,
    /** Each product has seven variants. */
    product: Math.floor(number / 7),
    vendor: number % 10 === 0 ? 'other' : 'sounds',
    isTagged: number % 20 > 0,
  }
})
type Row = (typeof ROWS)[number]

/** An account with many assets in the trash, unfinished uploads, assets and products. */
async function aLongAccount(t: TestContext) {
  const file = join(await aFolder(t), 'stowage.db')
  await copySqliteTemplate(file)
  const database = await openSqliteDatabase({ file })
  cleanUp(t, () => database.close())
  const [long, other] = [await anAccount(database, 'long'), await anAccount(database, 'other')]
  const direct = new DatabaseSync(file)
  cleanUp(t, () => direct.close())
  fill(direct, long.id)
  return { long: database.of(long.id), other: database.of(other.id) }
}

function fill(database: DatabaseSync, account: string): void {
  database.exec(
    'begin; create temp table r (id, number, name, trashedAt, product, vendor, isTagged)',
  )
  const insert = database.prepare('insert into r values (?, ?, ?, ?, ?, ?, ?)')
  for (const { isTagged, ...row } of ROWS) insert.run(...Object.values(row), Number(isTagged))
  const assets = (status: string, trashedAt: string) => `
    insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
      created_at, changed_at, upload_id, chunk_size, expires_at, trashed_at)
    select '${status} ' || id, '${account}', iif(number % 4 > 0, 'file', 'link'), '${status}', name, name,
      name, 0, 'text/plain', 0, 0, '${status} ' || id, 100, 0, ${trashedAt} from r;`
  database.exec(`
    ${assets('deleted', 'trashedAt')} ${assets('uploading', 'null')} ${assets('ready', 'null')}
    insert into products (id, account_id, product_id, variant_id, name, variant_name, sku, vendor, tags,
      search_name, search_vendor, search_sku)
    select id, '${account}', product, number, name, '', 'PACK', vendor, '[]', name, vendor, 'pack' from r;
    insert into product_tags
    select p.seq, '${account}', 'loop' from r join products p on p.id = r.id where isTagged = 1;
    insert into asset_products
    select a.seq, p.seq from r join assets a on a.id = 'ready ' || r.id
    join products p on p.id = '${rowOf(1).id}' where isTagged = 1;
    insert or ignore into asset_products
    select a.seq, p.seq from r join products p on p.id = r.id
    join assets a on a.id = 'ready ${rowOf(1).id}' where isTagged = 1;
    update accounts set asset_count = ${MANY} where id = '${account}';
    drop table r; commit`)
}

function rowOf(wanted: number): Row {
  const row = ROWS.find(({ number }) => number === wanted)
  assert.ok(row)
  return row
}

interface Page {
  page: number
  perPage: number
}

interface Listing {
  /** The IDs of a page, or of the page after this row. Those of products have the number of variants that match. */
  read(data: AccountData, page: Page, after?: Row): Promise<{ ids: string[]; total: number }>
  matches(row: Row): boolean
  /** The order of the list. By default, the highest ID is first. */
  compare?(a: Row, b: Row): number
  isGrouped?: boolean
}

const isDrum = ({ name }: Row) => name.startsWith('drum')
const isTagged = (row: Row) => row.isTagged

function trash(filter: object, matches: Listing['matches']): Listing {
  return {
    matches,
    compare: (a, b) => b.trashedAt - a.trashedAt || b.number - a.number,
    async read(data, page, after) {
      const cursor = after && { after: { id: `deleted ${after.id}`, value: after.trashedAt } }
      const { rows, total } = await data.listTrash({ ...page, ...filter, ...cursor })
      return { ids: rows.map(({ id }) => id.slice(-36)), total }
    },
  }
}

function uploads(filter: object, matches: Listing['matches']): Listing {
  return {
    matches,
    async read(data, page, after) {
      const cursor = after && { after: { id: `uploading ${after.id}` } }
      const { rows, total } = await data.listUploads({ ...page, ...filter, ...cursor })
      return { ids: rows.map(({ asset }) => asset.id.slice(-36)), total }
    },
  }
}

function variants(filter: object, matches: Listing['matches']): Listing {
  return {
    matches,
    async read(data, page, after) {
      const cursor = after && { after: [after.id] }
      const { rows, total } = await data.listProducts({ ...page, ...filter, ...cursor })
      return { ids: rows.map(({ id }) => id), total }
    },
  }
}

function products(filter: object, matches: Listing['matches']): Listing {
  return {
    matches,
    isGrouped: true,
    async read(data, page, after) {
      const cursor = after && { after: [after.product] }
      const { rows, total } = await data.listProductIds({ ...page, ...filter, ...cursor })
      return { ids: rows.map(({ productId, matching }) => `${productId}: ${matching}`), total }
    },
  }
}

function assets(filter: object, matches: Listing['matches']): Listing {
  return {
    matches,
    async read(data, page, after) {
      const cursor = after && { after: { id: `ready ${after.id}` } }
      const query = { ...page, ...filter, ...cursor, sort: NEWEST }
      const { rows, total } = await data.listAssets(query)
      return { ids: rows.map(({ id }) => id.slice(-36)), total }
    },
  }
}

function assetsByName(filter: object, matches: Listing['matches']): Listing {
  return {
    matches,
    compare: (a, b) => Number(a.name > b.name) - Number(a.name < b.name),
    async read(data, page, after) {
      const cursor = after && { after: { id: `ready ${after.id}`, value: after.name } }
      const sort = { by: 'filename', descending: false } as const
      const { rows, total } = await data.listAssets({ ...page, ...filter, ...cursor, sort })
      return { ids: rows.map(({ id }) => id.slice(-36)), total }
    },
  }
}

const OF_PRODUCT = { ofProduct: rowOf(1).id }
const OF_ASSET = { ofAsset: `ready ${rowOf(1).id}` }

const LISTINGS: Record<string, Listing> = {
  'the whole trash': trash({}, () => true),
  'the trash by name': trash({ name: 'drum' }, isDrum),
  'the trash by kind and word': trash(
    { kind: 'file', words: ['m 1'] },
    (row) => row.number % 4 > 0 && row.name.includes('m 1'),
  ),
  'all uploads': uploads({}, () => true),
  'uploads by name': uploads({ name: 'drum' }, isDrum),
  'all products': variants({}, () => true),
  'products by a short word': variants({ words: ['um'] }, isDrum),
  'products by vendor': variants({ vendor: 'sounds' }, ({ vendor }) => vendor === 'sounds'),
  'products by tag and name': variants(
    { tag: 'loop', name: 'um' },
    (row) => isTagged(row) && isDrum(row),
  ),
  'products of an asset': variants(OF_ASSET, isTagged),
  'grouped products by a short word': products({ words: ['um'] }, isDrum),
  'grouped products by SKU': products({ sku: 'PACK' }, () => true),
  'grouped products of an asset': products(OF_ASSET, isTagged),
  'assets of a product': assets(OF_PRODUCT, isTagged),
  'assets of a product by their name': assets(
    { ...OF_PRODUCT, name: 'um' },
    (row) => isTagged(row) && isDrum(row),
  ),
  'assets of a product, sorted by name': assetsByName({ productId: 0 }, isTagged),
}

/** The expected page, from all rows. */
function expected({ matches, compare, isGrouped = false }: Listing, page: Page, after?: Row) {
  const order = compare ?? ((a: Row, b: Row) => b.number - a.number)
  const matching = ROWS.filter(matches).sort(order)
  const groups = isGrouped
    ? [...Map.groupBy(matching, ({ product }) => product)].map(([product, rows]) => ({
        id: `${product}: ${rows.length}`,
        isAfter: after !== undefined && product < after.product,
      }))
    : matching.map((row) => ({ id: row.id, isAfter: after !== undefined && order(row, after) > 0 }))
  const { perPage } = page
  const start =
    after === undefined ? (page.page - 1) * perPage : groups.findIndex((one) => one.isAfter)
  const rows = start < 0 ? [] : groups.slice(start, start + perPage)
  return { ids: rows.map(({ id }) => id), total: groups.length }
}

test('pages and totals of long lists match all rows', async (t) => {
  const { long } = await aLongAccount(t)
  for (const [name, listing] of Object.entries(LISTINGS)) {
    const { total } = expected(listing, { page: 1, perPage: 1 })
    const pages: [Page, Row?][] = [
      [{ page: 1, perPage: 10 }],
      [{ page: Math.floor(total / 14), perPage: 7 }],
      [{ page: Math.ceil(total / 7), perPage: 7 }],
      [{ page: 9e20, perPage: 7 }],
      [{ page: 1, perPage: 2 * MANY }],
      [{ page: 1, perPage: 10 }, rowOf(4321)],
      [{ page: 1, perPage: 10 }, rowOf(8)],
      [{ page: 1, perPage: 10 }, rowOf(0)],
    ]
    for (const [page, after] of pages) {
      const found = await listing.read(long, page, after)
      assert.deepEqual(
        found,
        expected(listing, page, after),
        `${name} ${JSON.stringify([page, after])}`,
      )
    }
  }
})

test('a request of another account runs while a long list is read', async (t) => {
  const { long, other } = await aLongAccount(t)
  for (const [name, listing] of Object.entries(LISTINGS)) {
    const order: string[] = []
    const read = async (account: string, data: AccountData) => {
      await listing.read(data, { page: 1, perPage: 10 })
      order.push(account)
    }
    const reading = read('long', long)
    await nextTurn()
    await read('other', other)
    await reading
    assert.deepEqual(order, ['other', 'long'], name)
  }
})

test('a page and its total come from one snapshot while products change', async (t) => {
  const { long } = await aLongAccount(t)
  const list = () => long.listProducts({ page: 1, perPage: 2 * MANY, vendor: 'sounds' })
  const before = (await list()).total
  const removed = ROWS.filter(({ vendor }) => vendor === 'sounds').slice(0, 50)
  let isOver = false
  const removing = (async () => {
    for (const { id } of removed) await long.deleteProduct(id)
    isOver = true
  })()
  while (!isOver) {
    const { rows, total } = await list()
    assert.equal(rows.length, total)
    await nextTurn()
  }
  await removing
  assert.equal((await list()).total, before - removed.length)
})
