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

test('opening fails if a migration was edited after it ran, if this version does not know it, or if the database is older than the first release', async (t) => {
  const file = await aFile(t)
  await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec(`update migrations set checksum = 'changed'`)
  await assert.rejects(openSqliteDatabase({ file }), /was changed after it ran/)
  other.exec(`insert into migrations values ('0000_other.sql', '', '')`)
  await assert.rejects(openSqliteDatabase({ file }), /newer version/)
  other.exec(`delete from migrations where name = '0001_baseline.sql'`)
  for (const migrate of ['auto', 'off'] as const) {
    const opening = openSqliteDatabase({ file }, { migrate })
    await assert.rejects(
      opening,
      /before 0\.2\.0, and cannot be upgraded\. .* use a new data folder/,
    )
  }
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

test('the pages of the text indexes are small, so that a write that merges some of them is short', async (t) => {
  const file = await aFile(t)
  const database = await openIn(t, file)
  const account = await anAccount(database, 'long', 1e9)
  await fillLongList(database.of(account.id), account.id, 4500)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  for (const index of ['asset_names', 'asset_paths', 'product_texts', 'order_texts']) {
    const { value } =
      other.prepare(`select v as value from ${index}_config where k = 'pgsz'`).get() ?? {}
    assert.equal(value, 512, index)
  }
  const { largest } =
    other.prepare('select max(length(block)) as largest from asset_names_data').get() ?? {}
  assert.ok(Number(largest) < 1000, `${largest}`)
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

/** Many assets that are attached to one product, in an account with as many other products. */
async function aLargeAccount(
  t: TestContext,
  options: { onStatement?: (sql: string) => void } = {},
) {
  const file = await aFile(t)
  await copySqliteTemplate(file)
  const database = await openSqliteDatabase({ file, ...options })
  cleanUp(t, () => database.close())
  const account = await anAccount(database, 'large')
  const data = database.of(account.id)
  const variants = Array.from({ length: 300 }, (_, index) => index + 1)
  const [product] = await data.putProducts(variants.map((variantId) => aProduct({ variantId })))
  const ids: string[] = []
  for (const _ of variants) ids.push(await aLink(data))
  const selection = { productIds: [], variantIds: [1], ids: [], skus: [] }
  return { file, database, data, ids, selection, product: product?.id ?? '' }
}

test('no statement of a bulk change reads all assets or products of the account', async (t) => {
  const statements = new Set<string>()
  const onStatement = (sql: string) => statements.add(sql)
  const { file, data, ids, selection, product } = await aLargeAccount(t, { onStatement })
  statements.clear()
  await data.attachAssets(ids, selection)
  await data.tagAssets(ids, ['a'])
  await data.untagAssets(ids, ['a'])
  await data.trashAssets(ids)
  await data.restoreAssets(ids)
  await data.detachAssets(ids, selection)
  await data.attachAssets(ids, selection)
  await data.deleteProduct(product)
  await data.deleteAssets(ids)
  assert.ok(statements.size > 20)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  for (const sql of statements) {
    const plan = other.prepare(`explain query plan ${sql}`).all()
    for (const { detail } of plan) {
      // An account has a limited number of tags.
      if (`${detail}`.startsWith('SEARCH tags ')) continue
      // A plan that limits the number of assets counts unfinished uploads, too. They are few beside its assets.
      if (`${detail}`.includes(' USING INDEX assets_unfinished ')) continue
      // A search by the account alone reads all of its rows.
      assert.doesNotMatch(`${detail}`, /SCAN (assets|products|p|a)\b|\(account_id=\?\)/, sql)
    }
  }
})

test('other requests are served during a bulk change, and read the state before it', async (t) => {
  const { data, ids, selection, product } = await aLargeAccount(t)
  const changes = {
    attach: () => data.attachAssets(ids, selection),
    tag: () => data.tagAssets(ids, ['a']),
    untag: () => data.untagAssets(ids, ['a']),
    trash: () => data.trashAssets(ids),
    restore: () => data.restoreAssets(ids),
    detach: () => data.detachAssets(ids, selection),
    attachAgain: () => data.attachAssets(ids, selection),
    deleteProduct: () => data.deleteProduct(product),
    deleteAssets: () => data.deleteAssets(ids),
  }
  let reads = 0
  for (const [name, change] of Object.entries(changes)) {
    const before = await readState(data, product)
    let isDone = false
    const changing = change().finally(() => {
      isDone = true
    })
    while (!isDone) {
      const state = await readState(data, product)
      await nextTurn()
      if (isDone) break
      reads += 1
      assert.deepEqual(state, before, name)
    }
    await changing
    assert.notDeepEqual(await readState(data, product), before, name)
  }
  assert.ok(reads > Object.keys(changes).length, `${reads} requests were served`)
})

async function readState(data: ReturnType<Database['of']>, product: string) {
  const { assets } = await data.readSummary()
  const { total: attached } = await data.newestAssetsOf(product, 1)
  const { total: trashed } = await data.listTrash({ page: 1, perPage: 1 })
  const { rows: tags } = await data.listTags({ page: 1, perPage: 10 })
  return { assets, attached, trashed, tags }
}

test('writes of other accounts run between two bulk changes, and those of an account wait for one', async (t) => {
  const { database, data, ids } = await aLargeAccount(t)
  const other = database.of((await anAccount(database, 'other')).id)
  const order: string[] = []
  const note = (name: string) => () => order.push(name)
  await Promise.all([
    data.trashAssets(ids).then(note('trash')),
    data.restoreAssets(ids).then(note('restore')),
    nextTurn().then(() => aLink(other).then(note('other'))),
  ])
  assert.deepEqual(order, ['trash', 'other', 'restore'])
})

test('a bulk change that fails in the middle changes nothing', async (t) => {
  const { file, data, ids } = await aLargeAccount(t)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec(`create trigger fail before update of status on assets when new.id = '${ids[200]}'
    begin select raise(abort, 'it fails'); end`)
  await assert.rejects(data.trashAssets(ids), /it fails/)
  assert.equal((await data.readSummary()).assets, ids.length)
  other.exec('drop trigger fail')
  await data.trashAssets(ids)
  assert.equal((await data.readSummary()).assets, 0)
})
