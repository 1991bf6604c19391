import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '../../../test/support/clean-up.ts'
import { aBusyAccount, anAccount, anUpload, NOON } from '../contract/builders.ts'
import { testDatabaseContract } from '../database.contract.ts'
import type { Database } from '../database.ts'
import { connect } from './connection.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

async function aFile(t: TestContext): Promise<string> {
  return join(await aFolder(t), 'stowage.db')
}

async function openIn(t: TestContext, file: string): Promise<Database> {
  const database = await openSqliteDatabase({ file })
  cleanUp(t, () => database.close())
  return database
}

testDatabaseContract('sqlite', async (t) => openIn(t, await aFile(t)))

test('every commit is synced to a write-ahead log', async (t) => {
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

test('a database that another process keeps locked is an outage', async (t) => {
  const file = await aFile(t)
  const database = await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec('begin immediate')
  await assert.rejects(database.finishRemoval(1), { name: 'EngineUnavailable', engine: 'database' })
  other.exec('rollback')
  await database.finishRemoval(1)
})

test('a migration that was edited after it ran stops the start', async (t) => {
  const file = await aFile(t)
  await openIn(t, file)
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec(`update migrations set checksum = 'changed'`)
  await assert.rejects(openSqliteDatabase({ file }), /was changed after it ran/)
  other.exec(`insert into migrations values ('0000_other.sql', '', '')`)
  await assert.rejects(openSqliteDatabase({ file }), /newer version/)
})

test('of writes that share a commit, one that fails takes back nothing of the others', async (t) => {
  const database = await openIn(t, await aFile(t))
  const { id } = await anAccount(database, 'default')
  const data = database.of(id)
  const { asset, ...upload } = anUpload({ accountId: id })
  const record = {
    asset: { ...asset, status: 'ready' as const },
    upload,
    idempotency: undefined,
    changedAt: NOON,
    productIds: ['nothing'],
  }
  const results = await Promise.allSettled([
    data.reserveUpload({ upload: anUpload({ accountId: id, size: 60 }) }),
    data.adopt({ keys: [], assets: [record] }),
    data.reserveUpload({ upload: anUpload({ accountId: id, size: 30 }) }),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const { reserved, assets } = await data.readSummary()
  assert.deepEqual({ reserved, assets }, { reserved: 90, assets: 0 })
})

test('balancing the books mends counters that went wrong', async (t) => {
  const file = await aFile(t)
  const database = await openIn(t, file)
  const { data } = await aBusyAccount(database)
  const expected = await data.readSummary()
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  other.exec('update accounts set stored_bytes = 1, reserved_bytes = 2, asset_count = 3')
  await database.balanceBooks()
  assert.deepEqual(await data.readSummary(), expected)
})

test('the name filter reads the trigram index, not every name', async (t) => {
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
