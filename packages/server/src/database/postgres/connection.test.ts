import assert from 'node:assert/strict'
import { copyFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { listenOnFreePort } from '@stowage/testing/machine/ports'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import { anAuthority, startTlsProxy } from '@stowage/testing/proxies/tls-proxy'
import { readConfig } from '../../config/config.ts'
import { inSnapshot, inTransaction, isOutage, openConnection, requireServer } from './connection.ts'
import { openPool } from './pool.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { contains } from './search.ts'

const server = await aPostgresServer()

test('a server that accepts statements but does not respond is an outage', async (t) => {
  const url = new URL(await server.database(t))
  const proxy = await startTcpProxy(Number(url.port))
  cleanUp(t, () => proxy.stop())
  url.port = String(proxy.port)
  const options = { poolSize: 1, statementTimeoutMs: 1_000, tls: 'off' } as const
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
  const work = inTransaction(connection.sql, async () => {
    const waiting = connection.sql`select pg_sleep(600)`
    // The client does not send the statement before it is awaited.
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
  const { sql, close } = openConnection({
    url: aged.href,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    tls: 'off',
  })
  cleanUp(t, close)
  const work = inTransaction(sql, async () => {
    await sql`select pg_sleep(1.5)`
    await sql`create table half_done ()`
    throw new Error('rolled back')
  })
  await assert.rejects(work, /rolled back/)
  const [table] = await sql`select to_regclass('half_done') as found`
  assert.equal(table?.found, null)
})

test('a transaction within a transaction is refused, and the outer one is rolled back', async (t) => {
  const options = { poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' } as const
  const { sql, close } = openConnection({ url: await server.database(t), ...options })
  cleanUp(t, close)
  const work = inTransaction(sql, async () => {
    await sql`create table half_done ()`
    await inSnapshot(sql, async () => {})
  })
  await assert.rejects(work, /a transaction already runs/)
  const [table] = await inTransaction(sql, () => sql`select to_regclass('half_done') as found`)
  assert.equal(table?.found, null)
})

/**
 * Starts a proxy that forwards one connection, breaks it at the message with this number, and refuses all
 * other connections. Returns the URL of the proxy.
 */
async function brokenAt(t: TestContext, number: number, url: string): Promise<string> {
  const proxied = new URL(url)
  const proxy = createServer((client) => {
    proxy.close()
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    let count = 0
    client.on('data', (bytes) => {
      count += 1
      if (count < number) upstream.write(bytes)
      else client.destroy()
    })
    client.on('close', () => upstream.destroy())
    upstream.pipe(client)
  })
  proxied.port = String(await listenOnFreePort(proxy))
  cleanUp(t, () => proxy.close())
  return proxied.href
}

test('a connection that breaks while it is opened fails its statement, and causes no unhandled rejection', async (t) => {
  const url = await server.database(t)
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  cleanUp(t, () => process.off('unhandledRejection', note))
  const options = { poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' } as const
  // Logging in and the statement take fewer than six messages, so in the last round the statement succeeds.
  for (let number = 1; number <= 6; number += 1) {
    const connection = openConnection({ url: await brokenAt(t, number, url), ...options })
    await connection.sql`select 1`.catch((error) => assert.ok(isOutage(error), error))
    await connection.close()
  }
  await nextTurn()
  assert.deepEqual(rejections, [])
})

test('PostgreSQL plans a search for its text each time, and prepares other statements', async (t) => {
  const options = { poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' } as const
  const { sql, close } = openConnection({ url: await server.database(t), ...options })
  cleanUp(t, close)
  const prepared = async () => {
    const rows = await sql<{ statement: string }[]>`select statement from pg_prepared_statements`
    return Array.from(rows, ({ statement }) => statement).filter((text) => text.includes('marked'))
  }
  for (const text of ['pg_cl', '_class', '%']) {
    const named = sql`select relname as name from pg_class where ${contains(sql, sql`relname`, text)}`
    const found = await sql`select name from (${named}) marked where name = ${'pg_class'}`
    assert.equal(found.length, text === '%' ? 0 : 1)
  }
  assert.deepEqual(await prepared(), [])
  for (const name of ['pg_class', 'none']) {
    await sql`select relname from pg_class marked where ${sql.unsafe('relname')} = ${name}`
  }
  assert.equal((await prepared()).length, 1)
})

test('arrays arrive as they were sent', async (t) => {
  const url = await server.database(t)
  const connection = openConnection({ url, poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' })
  cleanUp(t, () => connection.close())
  const sent = {
    texts: ['', ' ', 'null', null, '"', '\\', '\\"', ',', '{}', '[1]={', 'line\nbreak', 'Zoë 🎧'],
    ids: ['01890a5d-ac96-774b-bcce-b302099a8057'],
    counts: [0, -1, 2 ** 31 - 1],
    sizes: [0, Number.MAX_SAFE_INTEGER, null],
    none: [],
  }
  const time = new Date('2026-03-01T12:00:00.123Z')
  const { sql } = connection
  const [received] = await sql`select
    ${sent.texts}::text[] as texts, ${sent.ids}::uuid[] as ids, ${sent.counts}::int[] as counts,
    ${sent.sizes}::bigint[] as sizes, ${sent.none}::text[] as none,
    ${[time.toISOString()]}::timestamptz[] as times`
  assert.deepEqual({ ...received }, { ...sent, times: [time] })
})

test('a certificate of the server that has expired is an outage, and an error of a statement is none', () => {
  const withCode = (code: string) => Object.assign(new Error(code), { code })
  for (const code of ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'EPROTO']) {
    assert.ok(isOutage(withCode(code)), code)
  }
  assert.ok(!isOutage(withCode('23505')))
})

const missing = await ensureInstalled('openssl')
if (missing !== undefined) test('TLS connections', (t) => skipUnlessCi(t, missing))
else testTls()

function testTls(): void {
  /** Connects with this mode and these parameters of the URL. Returns the code of the error, or `ok`. */
  async function tryMode(url: string, parameters: Record<string, string>): Promise<string> {
    const named = new URL(url)
    for (const [name, value] of Object.entries(parameters)) named.searchParams.set(name, value)
    const { database } = readConfig({ STOWAGE_DATABASE: named.href })
    assert.ok(database.kind === 'postgres')
    const connection = openConnection(database)
    try {
      await requireServer(connection, database)
      return 'ok'
    } catch (error) {
      assert.ok(isOutage(error), String(error))
      return String((error as NodeJS.ErrnoException).code)
    } finally {
      await connection.close()
    }
  }

  async function aTlsServer(t: TestContext, names: string, clientCa?: string) {
    const authority = await anAuthority(t)
    const url = new URL(await server.database(t))
    const files = await authority.issue('server', names)
    const ca = clientCa === 'own' ? authority.file : undefined
    const port = await startTlsProxy(t, Number(url.port), { ...files, ...(ca && { clientCa: ca }) })
    url.port = String(port)
    return { url: url.href, authority }
  }

  test('the modes of TLS verify the certificate of the server as libpq does', async (t) => {
    const { url, authority } = await aTlsServer(t, 'IP:127.0.0.1')
    const other = await anAuthority(t)
    const own = authority.file
    const { key: otherKey } = await other.issue('other', 'DNS:other')
    const empty = join(await aFolder(t), 'empty.pem')
    await writeFile(empty, '')
    const cases: [Record<string, string>, string][] = [
      [{ sslmode: 'require' }, 'ok'],
      [{ sslmode: 'verify-full' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'verify-ca' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'verify-full', sslrootcert: 'system' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'require', sslrootcert: 'system' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'verify-full', sslrootcert: own }, 'ok'],
      [{ sslmode: 'verify-ca', sslrootcert: own }, 'ok'],
      [{ sslmode: 'require', sslrootcert: own }, 'ok'],
      [{ sslmode: 'verify-full', sslrootcert: other.file }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'verify-ca', sslrootcert: other.file }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'require', sslrootcert: other.file }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{ sslmode: 'verify-full', sslrootcert: '/missing.pem' }, 'CONNECT_UNREADABLE_FILE'],
      [{ sslmode: 'require', sslrootcert: '/missing.pem' }, 'ok'],
      [{ sslmode: 'require', sslcert: '/missing.pem' }, 'ok'],
      [{ sslmode: 'verify-ca', sslrootcert: empty }, 'CONNECT_UNREADABLE_FILE'],
      [{ sslmode: 'require', sslrootcert: empty }, 'CONNECT_UNREADABLE_FILE'],
      [{ sslmode: 'require', sslcert: empty }, 'CONNECT_UNREADABLE_FILE'],
      [{ sslmode: 'require', sslcert: own, sslkey: otherKey }, 'CONNECT_UNREADABLE_FILE'],
    ]
    for (const [parameters, expected] of cases) {
      assert.equal(await tryMode(url, parameters), expected, JSON.stringify(parameters))
    }
  })

  test('a connection is opened with the certificates at the time of its first use', async (t) => {
    const { url, authority } = await aTlsServer(t, 'IP:127.0.0.1')
    const file = join(await aFolder(t), 'ca.pem')
    await copyFile((await anAuthority(t)).file, file)
    const named = new URL(url)
    named.searchParams.set('sslrootcert', file)
    const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'verify' } as const
    const pool = openPool({ url: named.href, ...options })
    cleanUp(t, () => pool.close())
    await copyFile(authority.file, file)
    await pool.use({ party: 'a', kind: 'read' }, (sql) => sql`select 1`)
  })

  test('only verify-full compares the certificate with the host', async (t) => {
    const { url, authority } = await aTlsServer(t, 'DNS:db.example.com')
    const sslrootcert = authority.file
    const invalid = 'ERR_TLS_CERT_ALTNAME_INVALID'
    assert.equal(await tryMode(url, { sslmode: 'verify-full', sslrootcert }), invalid)
    assert.equal(await tryMode(url, { sslmode: 'verify-ca', sslrootcert }), 'ok')
  })

  test('a client certificate is sent to a server that requires one', async (t) => {
    const { url, authority } = await aTlsServer(t, 'IP:127.0.0.1', 'own')
    const { cert: sslcert, key: sslkey } = await authority.issue('client', 'DNS:client')
    const verified = { sslmode: 'verify-full', sslrootcert: authority.file }
    assert.notEqual(await tryMode(url, verified), 'ok')
    assert.equal(await tryMode(url, { ...verified, sslcert, sslkey }), 'ok')
    const unreadable = { ...verified, sslcert, sslkey: '/missing.key' }
    assert.equal(await tryMode(url, unreadable), 'CONNECT_UNREADABLE_FILE')
  })

  test('a server that stops responding during the TLS handshake is named in the error', async (t) => {
    const authority = await anAuthority(t)
    const files = await authority.issue('server', 'IP:127.0.0.1')
    const port = await startTlsProxy(t, 1, { ...files, stallAfterTls: true })
    const url = `postgres://user:secret@127.0.0.1:${port}/x`
    const options = { url, poolSize: 1, statementTimeoutMs: 10_000, tls: 'on' } as const
    const connection = openConnection(options)
    cleanUp(t, () => connection.close())
    const expected = {
      message: `PostgreSQL at 127.0.0.1:${port} does not respond (CONNECT_TIMEOUT)`,
    }
    await assert.rejects(requireServer(connection, options), expected)
  })
}
