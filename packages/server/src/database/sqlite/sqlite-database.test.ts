import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { copySqliteTemplate } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import {
  aBusyAccount,
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  firstVersion,
  KEPT,
  NEWEST,
  NOON,
} from '../contract/builders.ts'
import { fillLongList } from '../contract/long-lists.ts'
import { testDatabaseContract } from '../database.contract.ts'
import type { Database } from '../database.ts'
import { recountCounters } from '../walk-database.ts'
import { connect } from './connection.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

async function aFile(t: TestContext): Promise<string> {
  return join(await aFolder(t), 'stowage.db')
}

async function openIn(t: TestContext, file: string): Promise<Database> {
  const database = await openSqliteDatabase({ file })
  cleanUp(t, () => database.close())
  return database
}

testDatabaseContract('sqlite', async (t) => {
  const file = await aFile(t)
  await copySqliteTemplate(file)
  return openIn(t, file)
})

test('every commit is synced to the write-ahead log', async (t) => {
  const file = await aFile(t)
  await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  assert.equal(other.prepare('pragma journal_mode').get()?.journal_mode, 'wal')
  const connection = connect(file)
  cleanUp(t, () => connection.close())
  // 2 is FULL.
  assert.equal(connection.prepare('pragma synchronous').get()?.synchronous, 2)
})

test('a database that another process keeps locked is reported as an outage', async (t) => {
  const file = await aFile(t)
  const database = await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec('begin immediate')
  await assert.rejects(database.finishRemoval(1), { name: 'EngineUnavailable', engine: 'database' })
  other.exec('rollback')
  await database.finishRemoval(1)
})

test('opening fails if a migration was edited after it ran, or if this version does not know it', async (t) => {
  const file = await aFile(t)
  await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec(`update migrations set checksum = 'changed'`)
  await assert.rejects(openSqliteDatabase({ file }), /was changed after it ran/)
  other.exec(`insert into migrations values ('0000_other.sql', '', '')`)
  await assert.rejects(openSqliteDatabase({ file }), /newer version/)
})

test('when one of several writes in a shared commit fails, the others succeed', async (t) => {
  const database = await openIn(t, await aFile(t))
  const { id } = await anAccount(database, 'default')
  const data = database.of(id)
  const { asset, ...upload } = anUpload({ accountId: id })
  const record = {
    asset: { ...asset, status: 'ready' as const },
    upload,
    idempotency: undefined,
    changedAt: NOON,
    productIds: ['unknown'],
    ...firstVersion({ asset }),
  }
  const results = await Promise.allSettled([
    data.reserveUpload({ upload: anUpload({ accountId: id, size: 60 }), ...KEPT }),
    data.importRecords({ keys: [], assets: [record] }),
    data.reserveUpload({ upload: anUpload({ accountId: id, size: 30 }), ...KEPT }),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const { reserved, assets } = await data.readSummary()
  assert.deepEqual({ reserved, assets }, { reserved: 90, assets: 0 })
})

test('recounting repairs wrong counters', async (t) => {
  const file = await aFile(t)
  const database = await openIn(t, file)
  const { data } = await aBusyAccount(database)
  const expected = [await data.readSummary(), await data.readUsage()]
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec('update accounts set stored_bytes = 1, reserved_bytes = 2, asset_count = 3')
  other.exec('update asset_blocks set assets = 7')
  assert.equal((await database.compareUsage())[0]?.wrongBlocks, 1)
  other.exec(`update usage_by_type set bytes = 4; delete from usage_by_type where type = 'link'`)
  const [usage] = await database.compareUsage()
  assert.notDeepEqual(usage?.counted.types, usage?.actual.types)
  await recountCounters(database)
  assert.deepEqual([await data.readSummary(), await data.readUsage()], expected)
  assert.equal((await database.compareUsage())[0]?.wrongBlocks, 0)
})

test('the migration to usage by type counts existing assets', async (t) => {
  const file = await aFile(t)
  const { data } = await aBusyAccount(await openIn(t, file))
  const expected = await data.readUsage()
  assert.equal(expected.length, 2)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  for (const change of ['insert', 'update', 'delete']) {
    other.exec(`drop trigger assets_use_on_${change}`)
    other.exec(`drop trigger if exists asset_versions_use_on_${change}`)
  }
  other.exec('drop table usage_by_type; alter table assets drop column type')
  other.exec(`delete from migrations where name = '0004_usage_by_type.sql'`)
  const again = await openIn(t, file)
  const [usage] = await again.compareUsage()
  assert.deepEqual(await again.of(usage?.accountId ?? '').readUsage(), expected)
})

test('the migration to withheld files withholds the files that are being compared', async (t) => {
  const file = await aFile(t)
  const { data } = await aBusyAccount(await openIn(t, file))
  const withDigest = (digit: string) => aReadyAsset(data, { sha256: digit.repeat(64) })
  const [waiting, old, wrong, verified] = [
    ...[await withDigest('a'), await withDigest('b')],
    ...[await withDigest('c'), await withDigest('d')],
  ]
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec('drop index checksums_due; drop index checksums_withheld')
  other.exec('alter table checksums drop column withheld_for')
  other.exec('create index checksums_due on checksums (queue, due_at) where queue is not null')
  other.exec(`delete from migrations where name like '%_withheld_files.sql'`)
  // Checksums were off when this file was completed. Otherwise, it would have been read by now.
  other.exec(`update checksums set due_at = 1 where object_key = '${old}'`)
  other.exec(`update checksums set damaged = 1, queue = 'scrub' where object_key = '${wrong}'`)
  other.exec(`update checksums set verified_at = ${Date.now()} where object_key = '${verified}'`)
  const again = await openIn(t, file)
  const [account] = await again.listAccounts()
  const isWithheld = async (id = '') =>
    (await again.of(account?.id ?? '').findAsset(id))?.integrity.isWithheld
  assert.deepEqual(
    [await isWithheld(waiting), await isWithheld(old), await isWithheld(wrong)],
    [true, false, true],
  )
  assert.equal(await isWithheld(verified), false)
})

test('the migration to listing blocks creates blocks for existing assets', async (t) => {
  const file = await aFile(t)
  const before = await openSqliteDatabase({ file })
  const { id } = await anAccount(before, 'default')
  await fillLongList(before.of(id), id)
  await anAccount(before, 'empty')
  await before.close()
  const other = new DatabaseSync(file)
  other.exec(`
    drop trigger accounts_first_block; drop trigger assets_inserted; drop trigger assets_listed;
    drop trigger assets_changed; drop trigger assets_links_changed; drop trigger products_changed;
    drop table asset_blocks;
    alter table accounts drop column revision;
    delete from migrations where name like '0003%'`)
  other.close()
  const database = await openIn(t, file)
  const data = database.of(id)
  await aLink(data)
  assert.deepEqual(
    (await database.compareUsage()).map(({ wrongBlocks }) => wrongBlocks),
    [0, 0],
  )
  const query = { page: 90, perPage: 25, sort: NEWEST }
  const { rows, total } = await data.listAssets(query)
  assert.deepEqual([rows.length, total], [25, 4501])
})

test('the migration to product search makes existing products searchable', async (t) => {
  const file = await aFile(t)
  const before = await openSqliteDatabase({ file })
  const { id } = await anAccount(before, 'default')
  const products = Array.from({ length: 600 }, (_, variantId) =>
    aProduct({ variantId, sku: variantId === 7 ? 'Plain-7' : `ÄSKU-${variantId}` }),
  )
  await before.of(id).putProducts(products)
  await before.close()
  const other = new DatabaseSync(file)
  other.exec(`
    drop trigger products_changed;
    drop table product_texts; create table product_names (search_name text);
    drop index products_without_search_sku; alter table products drop column search_text;
    alter table products drop column search_sku;
    delete from migrations where name like '%_product_search.sql'`)
  other.close()
  const data = (await openIn(t, file)).of(id)
  for (const [word, total] of [
    ['plain-7', 1],
    ['äsku-599', 1],
    ['äs', 599],
    ['wav', 600],
  ] as const) {
    const found = await data.listProducts({ page: 1, perPage: 1, words: [word] })
    assert.equal(found.total, total, word)
  }
})

test('existing assets get sort names, so that numbers in their names are sorted by value', async (t) => {
  const file = await aFile(t)
  const before = await openSqliteDatabase({ file })
  const { id } = await anAccount(before, 'default')
  for (const filename of ['10', '9', '100']) await aLink(before.of(id), { filename })
  await before.close()
  const other = new DatabaseSync(file)
  other.exec('update assets set sort_name = null')
  other.close()
  const data = (await openIn(t, file)).of(id)
  const sort = { by: 'filename', descending: false } as const
  const { rows } = await data.listAssets({ page: 1, perPage: 5, sort })
  assert.deepEqual(
    rows.map(({ filename }) => filename),
    ['9', '10', '100'],
  )
})

test('existing assets get search paths, so that a search finds their folders', async (t) => {
  const file = await aFile(t)
  const before = await openSqliteDatabase({ file })
  const { id } = await anAccount(before, 'default')
  for (const path of ['Über/Kurs', null]) await aLink(before.of(id), { path })
  await before.close()
  const other = new DatabaseSync(file)
  other.exec('update assets set search_path = null')
  other.close()
  const data = (await openIn(t, file)).of(id)
  const { rows } = await data.listAssets({ page: 1, perPage: 5, sort: NEWEST, words: ['über'] })
  assert.deepEqual(
    rows.map(({ path }) => path),
    ['Über/Kurs'],
  )
})

/** A hundred assets, each in its own block, as if the list were much longer. */
async function aLongList(t: TestContext, onStatement: (sql: string) => void = () => {}) {
  const file = await aFile(t)
  const database = await openSqliteDatabase({ file, onStatement })
  cleanUp(t, () => database.close())
  const data = database.of((await anAccount(database, 'default')).id)
  for (let index = 0; index < 100; index += 1) await aLink(data, { filename: `pack ${index}` })
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec(`update asset_blocks set assets = 0;
    insert into asset_blocks select account_id, id, 1, 1 from assets`)
  const list = () => data.listAssets({ page: 1, perPage: 10, sort: NEWEST, name: 'pa' })
  return { list, other }
}

test('other requests are served while a long list is counted', async (t) => {
  const { list } = await aLongList(t)
  let turns = 0
  let isOver = false
  const serve = () => {
    turns += 1
    if (!isOver) setImmediate(serve)
  }
  setImmediate(serve)
  const { total } = await list()
  isOver = true
  assert.equal(total, 100)
  assert.ok(turns >= 5, `${turns}`)
})

test('concurrent calls share one count, and later calls use the cached one', async (t) => {
  let counts = 0
  const { list } = await aLongList(t, (sql) => {
    if (/select count.* as matching/.test(sql)) counts += 1
  })
  const totals = await Promise.all(Array.from({ length: 5 }, async () => (await list()).total))
  assert.deepEqual(totals, [100, 100, 100, 100, 100])
  assert.ok(counts <= 110, `${counts}`)
  counts = 0
  await list()
  assert.equal(counts, 0)
})

test('changes by another process are counted', async (t) => {
  const { list, other } = await aLongList(t)
  await list()
  other.exec(`update assets set search_name = 'x' where search_name = 'pack 7'`)
  assert.equal((await list()).total, 99)
})

test('the name filter uses the trigram index', async (t) => {
  const file = await aFile(t)
  await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  const plan = other
    .prepare(
      `explain query plan select id from assets where account_id = 'a' and status = 'ready'
       and instr(search_name, 'abc') > 0
       and seq in (select rowid from asset_names where asset_names match '"abc"')
       order by id desc limit 10`,
    )
    .all()
    .map((row) => String(row.detail))
    .join('\n')
  assert.match(plan, /SCAN asset_names VIRTUAL TABLE INDEX/)
})

test('a request of another account runs while a far page of a sorted list is read', async (t) => {
  const file = await aFile(t)
  await copySqliteTemplate(file)
  const database = await openIn(t, file)
  const long = await anAccount(database, 'long', 1e9)
  const other = await anAccount(database, 'other')
  await fillLongList(database.of(long.id), long.id, 4500)
  const order: string[] = []
  const list = async (name: string, account: string, page: number) => {
    const sort = { by: 'filename', descending: false } as const
    const { rows } = await database.of(account).listAssets({ page, perPage: 10, sort })
    order.push(name)
    return rows.length
  }
  const far = list('far page', long.id, 215)
  await nextTurn()
  await list('other account', other.id, 1)
  assert.equal(await far, 10)
  assert.deepEqual(order, ['other account', 'far page'])
})
