import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import postgres from 'postgres'
import { CONNECT_TIMEOUT_MS } from './connection.ts'
import { openEventChannel } from './event-channel.ts'
import { openPool } from './pool.ts'
import { createUnitsOfWork, type RunUnit } from './unit-of-work.ts'

const server = await aPostgresServer()

/** Longer than any test, so that polling cannot hide a missing notification. */
const NEVER = 600_000
const TIMES = { checkMs: NEVER, pollMs: NEVER, maxRetryMs: NEVER }

function open(
  t: TestContext,
  url: string,
  { times = TIMES, send }: { times?: typeof TIMES; send?: RunUnit } = {},
) {
  const options = { url, poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' } as const
  const pool = openPool(options)
  cleanUp(t, () => pool.close())
  const channel = openEventChannel({
    options,
    run: send ?? createUnitsOfWork(pool)({ party: 'events', kind: 'write' }),
    times,
  })
  cleanUp(t, () => channel.close())
  const received: (string | undefined)[] = []
  channel.onEvents((account) => received.push(account))
  return { channel, received }
}

async function isListening(url: string): Promise<boolean> {
  const admin = postgres(url, { max: 1 })
  const rows = await admin`
    select from pg_stat_activity where datname = current_database() and query like 'listen%'`
  await admin.end()
  return rows.length > 0
}

test('an instance announces its first change immediately, and the following ones together', async (t) => {
  const url = await server.database(t)
  const { received } = open(t, url)
  await until('the instance listens', () => isListening(url))
  const { channel, received: own } = open(t, url)
  channel.announce(['one'])
  for (let change = 0; change < 50; change += 1) channel.announce(['two'])
  await until('the second notification arrives', () => received.includes('two'))
  // The instance that made the changes calls its own listeners without waiting for the database.
  assert.deepEqual(own, ['one', 'two'])
  channel.announce(Array.from({ length: 500 }, (_, index) => `account ${index}`))
  await until('500 accounts are announced without their IDs', () => received.includes(undefined))
  assert.deepEqual(received, ['one', 'two', undefined])
})

test('an instance whose listening connection is lost looks for events immediately, and listens again', async (t) => {
  const url = await server.database(t)
  const proxied = new URL(url)
  const proxy = await startTcpProxy(Number(proxied.port))
  cleanUp(t, () => proxy.stop())
  proxied.port = String(proxy.port)
  const { received } = open(t, proxied.href, { times: { ...TIMES, pollMs: 50 } })
  await until('the instance listens', () => isListening(url))
  const { channel } = open(t, url)
  channel.announce(['before'])
  await until('a notification arrives', () => received.includes('before'))
  await proxy.stop()
  const count = received.length
  await until('it polls', () => received.slice(count).includes(undefined))
  await proxy.start()
  await until('a notification arrives again', () => {
    channel.announce(['after'])
    return received.includes('after')
  })
})

test('an instance that receives no notifications, for example behind a pooler, polls for events', async (t) => {
  const send: RunUnit = async () => undefined as never
  const url = await server.database(t)
  const { received } = open(t, url, { times: { ...TIMES, pollMs: 20 }, send })
  await until('it has polled repeatedly', () => received.length >= 5)
  assert.ok(received.every((account) => account === undefined))
})

test('an instance whose server never responds can be stopped without waiting for a timeout', async (t) => {
  let isConnected = false
  const silent = createServer(() => {
    isConnected = true
  })
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  cleanUp(t, () => silent.close())
  const { port } = silent.address() as AddressInfo
  const send: RunUnit = async () => undefined as never
  const { channel } = open(t, `postgres://user@127.0.0.1:${port}/none`, { send })
  await until('it has connected', () => isConnected)
  const before = performance.now()
  await channel.close()
  assert.ok(performance.now() - before < CONNECT_TIMEOUT_MS / 2)
})

test('an instance can be stopped at any moment while it starts to listen', async (t) => {
  const url = await server.database(t)
  // An error that nobody handles would make the test fail.
  for (let moment = 0; moment < 40; moment += 1) {
    const { channel } = open(t, url)
    await pause(moment / 2)
    await channel.close()
  }
})
