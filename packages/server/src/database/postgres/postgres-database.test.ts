import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import { EngineUnavailable } from '../../domain/errors.ts'
import {
  aBusyAccount,
  anAccount,
  anUpload,
  aReadyAsset,
  KEEP,
  KEPT,
  NEWEST,
  reserve,
} from '../contract/builders.ts'
import { testDatabaseContract } from '../database.contract.ts'
import type { Database } from '../database.ts'
import { recountCounters } from '../walk-database.ts'
import { openPostgresDatabase } from './postgres-database.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const server = await aPostgresServer()

async function openAt(t: TestContext, url: string) {
  const options = { poolSize: 8, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  return database
}

describe('contract', () => {
  const opening = server.openReusedDatabase()
  after(async () => (await opening).close())
  testDatabaseContract('postgres', async () => {
    const { database, empty } = await opening
    await empty()
    return database
  })
})

test('ten instances can start at the same time on an empty database', async (t) => {
  const url = await server.emptyDatabase(t)
  const databases = await Promise.all(Array.from({ length: 10 }, () => openAt(t, url)))
  await Promise.all(databases.map((database) => database.check()))
})

test('recounting repairs wrong counters', async (t) => {
  const url = await server.database(t)
  const database = await openAt(t, url)
  const { data } = await aBusyAccount(database)
  const expected = [await data.readSummary(), await data.readUsage()]
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  await admin`update accounts set stored_bytes = 1, reserved_bytes = 2, asset_count = 3`
  await admin`update asset_blocks set assets = 7`
  assert.equal((await database.compareUsage())[0]?.wrongBlocks, 1)
  await admin`update usage_by_type set bytes = 4`
  await admin`delete from usage_by_type where type = 'link'`
  const [usage] = await database.compareUsage()
  assert.notDeepEqual(usage?.counted.types, usage?.actual.types)
  await recountCounters(database)
  assert.deepEqual([await data.readSummary(), await data.readUsage()], expected)
  assert.equal((await database.compareUsage())[0]?.wrongBlocks, 0)
})

test('completing and deleting concurrently does not deadlock', async (t) => {
  const url = await server.database(t)
  const options = { poolSize: 8, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  const data = database.of((await anAccount(database, 'default', 1000)).id)
  const some = Array.from({ length: 40 }, () => ({ size: 1 }))
  const ready = await Promise.all(some.map((facts) => aReadyAsset(data, facts)))
  const coming = await Promise.all(some.map((facts) => reserve(data, facts)))
  const begun = coming.map(({ upload }) => upload.asset.id)
  for (const id of begun) await data.beginCompletion(id, KEPT)
  await Promise.all([
    ...ready.map((id) => data.deleteAsset(id)),
    ...begun.map((id) => data.finishCompletion(id, KEEP)),
  ])
  // A connection reports its statistics when it is closed.
  await database.close()
  const admin = postgres(url, { max: 1 })
  cleanUp(t, () => admin.end())
  const stats = async () => {
    const [row] = await admin`
      select numbackends, deadlocks from pg_stat_database where datname = current_database()`
    return row
  }
  await until('all other connections are closed', async () => (await stats())?.numbackends === 1)
  assert.equal(Number((await stats())?.deadlocks), 0)
})

test('changes by one instance are counted by another immediately', async (t) => {
  const url = await server.database(t)
  const [one, other] = [await openAt(t, url), await openAt(t, url)]
  const { id } = await anAccount(one, 'default')
  const totalOf = async (database: Database) => {
    const query = { page: 1, perPage: 5, sort: NEWEST, name: 'pa' }
    return (await database.of(id).listAssets(query)).total
  }
  for (let expected = 0; expected < 5; expected += 1) {
    assert.deepEqual([await totalOf(one), await totalOf(other)], [expected, expected])
    await aReadyAsset((expected % 2 ? one : other).of(id), { filename: 'pack' })
  }
})

test('the name filter works without permission to create pg_trgm', async (t) => {
  const url = await server.emptyDatabase(t)
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  // The extension is trusted, so only a role without the CREATE privilege on the database is refused.
  await admin`create role restricted login password 'test'`
  await admin`grant create, usage on schema public to restricted`
  cleanUp(t, async () => {
    await admin`drop owned by restricted`
    await admin`drop role restricted`
  })
  const asRestricted = Object.assign(new URL(url), { username: 'restricted', password: 'test' })
  const database = await openAt(t, asRestricted.href)
  const extensions = await admin`select from pg_extension where extname = 'pg_trgm'`
  assert.equal(extensions.length, 0)
  const data = database.of((await anAccount(database, 'default')).id)
  const id = await aReadyAsset(data, { filename: 'Sample pack.zip' })
  const query = { page: 1, perPage: 5, sort: NEWEST, name: 'ple pa' }
  assert.deepEqual(
    (await data.listAssets(query)).rows.map((asset) => asset.id),
    [id],
  )
})

test('a stopped server is an outage, and the database works again after a restart', async (t) => {
  const url = await server.database(t)
  const database = await openAt(t, url)
  const data = database.of((await anAccount(database, 'default')).id)
  await server.stop()
  const outage = { name: 'EngineUnavailable', engine: 'database' }
  await assert.rejects(database.check(), outage)
  await assert.rejects(data.reserveUpload({ upload: anUpload(), ...KEPT }), outage)
  await server.start()
  await database.check()
  assert.equal((await data.readSummary()).reserved, 0)
})

test('a server that stops during transactions is an outage, and all connections recover', async (t) => {
  const url = await server.database(t)
  const database = await openAt(t, url)
  const data = database.of((await anAccount(database, 'default')).id)
  for (let round = 0; round < 3; round += 1) {
    let isOver = false
    const failures: unknown[] = []
    let longestMs = 0
    const keepCancelling = async () => {
      while (!isOver) {
        const begin = performance.now()
        try {
          const upload = anUpload()
          await data.reserveUpload({ upload, ...KEPT })
          await data.cancelUpload(upload.asset.id)
        } catch (error) {
          failures.push(error)
        }
        longestMs = Math.max(longestMs, performance.now() - begin)
      }
    }
    const workers = Array.from({ length: 20 }, keepCancelling)
    await server.stop()
    await until('many calls have failed', () => failures.length > 100)
    await server.start()
    await until('the server responds', () => doesRespond(database))
    isOver = true
    await Promise.all(workers)
    for (const failure of failures) {
      assert.ok(failure instanceof EngineUnavailable, String(failure))
      assert.equal(failure.engine, 'database')
    }
    assert.ok(longestMs < 5_000, `${longestMs} ms`)
    // All connections of the pool work again.
    await Promise.all(Array.from({ length: 50 }, () => database.check()))
    for (const { counted, actual } of await database.compareUsage())
      assert.deepEqual(counted, actual)
  }
})

async function doesRespond(database: Database): Promise<boolean> {
  try {
    await database.check()
    return true
  } catch {
    return false
  }
}
