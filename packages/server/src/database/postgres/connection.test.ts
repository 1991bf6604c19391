import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import { begin, openConnection } from './connection.ts'
import { openPostgresDatabase } from './postgres-database.ts'

const server = await aPostgresServer()

test('a server that accepts statements but does not respond is an outage', async (t) => {
  const url = new URL(await server.database(t))
  const proxy = await startTcpProxy(Number(url.port))
  cleanUp(t, () => proxy.stop())
  url.port = String(proxy.port)
  const options = { poolSize: 1, statementTimeoutMs: 100, tls: 'off' } as const
  const database = await openPostgresDatabase({ url: url.href, ...options })
  cleanUp(t, () => database.close())
  await database.check()
  proxy.stall()
  const outage = { name: 'EngineUnavailable', engine: 'database' }
  // The second call waits for the only connection.
  const both = [database.check(), database.check()]
  await Promise.all(both.map((call) => assert.rejects(call, outage)))
  await database.check()
})

test('a transaction whose connection is reset fails immediately, without waiting for a response', async (t) => {
  const url = new URL(await server.database(t))
  const proxy = await startTcpProxy(Number(url.port))
  cleanUp(t, () => proxy.stop())
  url.port = String(proxy.port)
  const options = { poolSize: 1, statementTimeoutMs: 600_000, tls: 'off' } as const
  const connection = openConnection({ url: url.href, ...options })
  cleanUp(t, () => connection.close())
  let isOver = false
  const work = begin(connection.sql, async (transaction) => {
    const waiting = transaction`select pg_sleep(600)`
    // The client sends the statement only once it is awaited.
    setTimeout(() => proxy.reset(), 200)
    await waiting
  })
  const ended = assert.rejects(work, { code: 'ECONNRESET' }).finally(() => {
    isOver = true
  })
  await until('the transaction fails', () => isOver)
  await ended
})

test('a long transaction stays on its connection', async (t) => {
  const url = await server.database(t)
  const aged = new URL(url)
  aged.searchParams.set('max_lifetime', '1')
  const connection = openConnection({
    url: aged.href,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    tls: 'off',
  })
  cleanUp(t, () => connection.close())
  const work = begin(connection.sql, async (transaction) => {
    await transaction`select pg_sleep(1.5)`
    await transaction`create table half_done ()`
    throw new Error('rolled back')
  })
  await assert.rejects(work, /rolled back/)
  const [table] = await connection.sql`select to_regclass('half_done') as found`
  assert.equal(table?.found, null)
})
