import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import type { AccountData } from '../account-data.ts'
import { aLink, anAccount, aReadyAsset, NEWEST, NOON, reserve } from '../contract/builders.ts'
import { openPool } from './pool.ts'
import { openPostgresDatabase } from './postgres-database.ts'

/* Runs in its own process: it measures delays. */

const server = await aPostgresServer()

async function aPool(t: TestContext, poolSize: number) {
  const url = await server.database(t)
  const pool = openPool({ url, poolSize, statementTimeoutMs: 10_000, tls: 'off' })
  cleanUp(t, () => pool.close())
  return pool
}

test('writes that wait for the lock of their account delay no other account, no reads and no readiness check', async (t) => {
  const url = await server.database(t)
  const options = { poolSize: 10, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const locked = await anAccount(database, 'locked')
  const other = await anAccount(database, 'other')
  const admin = postgres(url, { max: 2 })
  cleanUp(t, () => admin.end())
  const unlock = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const locking = admin.begin(async (sql) => {
    await sql`select from accounts where id = ${locked.id} for update`
    isLocked.resolve()
    await unlock.promise
  })
  await isLocked.promise
  let written = 0
  const writes = Array.from({ length: 40 }, async () => {
    await aLink(database.of(locked.id))
    written += 1
  })
  await until('a write waits for the lock', async () => {
    const waiting = await admin`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })
  await database.check()
  for (const { id } of [other, locked])
    await database.of(id).listAssets({ page: 1, perPage: 25, sort: NEWEST })
  await aLink(database.of(other.id))
  await database.findKey('0'.repeat(64))
  await database.readClock()
  assert.equal(written, 0)
  unlock.resolve()
  await Promise.all([locking, ...writes])
})

test('uploads that wait until trash is unlocked leave the connections to other calls', async (t) => {
  const url = await server.database(t)
  const options = { poolSize: 10, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const full: AccountData[] = []
  for (const name of ['first', 'second', 'third']) {
    const { id, planStorage } = await anAccount(database, name)
    const data = database.of(id)
    await data.trashAssets([await aReadyAsset(data, { size: planStorage })])
    full.push(data)
  }
  const other = await anAccount(database, 'other')
  const admin = postgres(url, { max: 2 })
  cleanUp(t, () => admin.end())
  const unlock = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const locking = admin.begin(async (sql) => {
    await sql`select from assets where trashed_at is not null for update`
    isLocked.resolve()
    await unlock.promise
  })
  await isLocked.promise
  const ended: string[] = []
  const uploads = Array.from({ length: 10 }, async (_, index) => {
    const upload = reserve(full[index % 3] as AccountData, { size: 10 })
    ended.push(await upload.then(({ outcome }) => outcome, String))
  })
  await aLink(database.of(other.id))
  // An account has a third of the connections for writes, and these uploads do not hold them, either.
  await aLink(full[0] as AccountData)
  const endedBefore = [...ended]
  unlock.resolve()
  await Promise.all([locking, ...uploads])
  assert.deepEqual(endedBefore, [])
  assert.deepEqual(ended, new Array(10).fill('reserved'))
})

test('the counting of requests by many keys of one account delays no other account', async (t) => {
  const url = await server.database(t)
  const options = { poolSize: 10, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const count = (keyId: string, group: string) =>
    database.countRequest({ keyId, group, limit: 100 }, NOON)
  await count('key', 'busy')
  const admin = postgres(url, { max: 2 })
  cleanUp(t, () => admin.end())
  let isLocked = false
  let isOver = false
  const locking = admin.begin(async (sql) => {
    await sql`select from request_counts where who = 'busy' for update`
    isLocked = true
    await until('the other account is served', () => isOver)
  })
  await until('the row is locked', () => isLocked)
  const counts = Array.from({ length: 20 }, (_, index) => count(`key ${index}`, 'busy'))
  await until('a request waits for the lock', async () => {
    const waiting = await admin`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length >= 3
  })
  const served = await Promise.race([count('other key', 'other'), ...counts])
  isOver = true
  assert.deepEqual(served, { ofKey: 1, ofGroup: 1 })
  await Promise.all([locking, ...counts])
})

test('an account whose calls wait is served in turn with the others', async (t) => {
  const pool = await aPool(t, 1)
  const unblock = Promise.withResolvers<void>()
  const order: string[] = []
  const call = (party: string, kind: 'read' | 'write' = 'write') =>
    pool.use({ party, kind }, async () => {
      order.push(`${kind} of ${party}`)
      await unblock.promise
    })
  const calls = Array.from({ length: 4 }, () => call('busy'))
  calls.push(call('other'), call('busy', 'read'))
  unblock.resolve()
  await Promise.all(calls)
  assert.deepEqual(order, [
    'write of busy',
    'write of busy',
    'write of other',
    'read of busy',
    'write of busy',
    'write of busy',
  ])
})

test('an account uses a part of the connections, and writes never use all of them', async (t) => {
  const pool = await aPool(t, 10)
  const unblock = Promise.withResolvers<void>()
  const running = { read: 0, write: 0 }
  const calls: Promise<void>[] = []
  const call = (party: string, kind: 'read' | 'write') =>
    calls.push(
      pool.use({ party, kind }, async () => {
        running[kind] += 1
        await unblock.promise
      }),
    )
  for (let index = 0; index < 20; index += 1) call('first', 'write')
  await nextTurn()
  assert.deepEqual(running, { read: 0, write: 3 })
  for (let index = 0; index < 20; index += 1) call('second', 'write')
  for (let index = 0; index < 20; index += 1) call('third', 'write')
  await nextTurn()
  assert.deepEqual(running, { read: 0, write: 8 })
  for (let index = 0; index < 20; index += 1) call('first', 'read')
  await nextTurn()
  assert.deepEqual(running, { read: 2, write: 8 })
  unblock.resolve()
  await Promise.all(calls)
  assert.deepEqual(running, { read: 20, write: 60 })
})

test('a call of an account is refused if a thousand others already wait, and other accounts are served', async (t) => {
  const pool = await aPool(t, 4)
  const unblock = Promise.withResolvers<void>()
  const call = (party: string) => pool.use({ party, kind: 'read' }, () => unblock.promise)
  const calls = Array.from({ length: 1002 }, () => call('busy'))
  const outage = { name: 'EngineUnavailable', engine: 'database' }
  await assert.rejects(call('busy'), outage)
  await pool.use({ party: 'other', kind: 'read' }, (sql) => sql`select 1`)
  unblock.resolve()
  await Promise.all(calls)
  await pool.use({ party: 'busy', kind: 'read' }, (sql) => sql`select 1`)
})

test('work is admitted again after a lost connection could not be replaced', async (t) => {
  const url = await server.database(t)
  const options = { url, poolSize: 1, statementTimeoutMs: 1_000, tls: 'off' as const }
  const pool = openPool(options)
  cleanUp(t, () => pool.close())
  const use = (work: string) =>
    pool.use({ party: 'a', kind: 'write' }, (sql) => sql.unsafe(work).execute())
  await assert.rejects(use('select pg_terminate_backend(pg_backend_pid())'))
  options.url = 'not a URL'
  for (let count = 0; count < 2; count += 1) await assert.rejects(use('select 1'), /Invalid URL/)
  options.url = url
  await use('select 1')
})
