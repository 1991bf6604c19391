import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { freePort } from '@stowage/testing/machine/ports'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { anAuthority, startTlsProxy } from '@stowage/testing/proxies/tls-proxy'
import postgres from 'postgres'
import type { Finding } from '../../domain/finding.ts'
import type { PostgresOptions } from './connection.ts'
import { examinePostgres } from './examine.ts'
import { isCreated } from './migrations.ts'
import { openPostgresDatabase } from './postgres-database.ts'

const server = await aPostgresServer()
const OPTIONS = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const

function examine(
  url: string,
  clock = () => new Date(),
  tls: PostgresOptions['tls'] = 'off',
): Promise<Finding[]> {
  return Array.fromAsync(examinePostgres({ url, ...OPTIONS, tls, clock }))
}

async function migrated(url: string): Promise<string> {
  await (await openPostgresDatabase({ url, ...OPTIONS })).close()
  return url
}

test('a migrated database passes all checks', async (t) => {
  const findings = await examine(await migrated(await server.database(t)))
  assert.deepEqual(
    findings.map(({ status }) => status),
    ['ok', 'ok', 'ok'],
  )
  assert.match(findings[0]?.message ?? '', /^PostgreSQL \d+\.\d+ responds$/)
})

test('an empty database and pending migrations are reported as pending', async (t) => {
  const url = await server.emptyDatabase(t)
  const [, empty] = await examine(url)
  assert.equal(empty?.status, 'pending')
  assert.equal(await isCreated({ url, ...OPTIONS }), false)
  await migrated(url)
  assert.equal(await isCreated({ url, ...OPTIONS }), true)
  const sql = postgres(url, { onnotice: () => {} })
  cleanUp(t, () => sql.end())
  const applied = await sql`delete from migrations returning *`
  const [, pending] = await examine(url)
  assert.deepEqual(
    [pending?.status, pending?.items],
    ['pending', applied.map(({ name }) => name).sort()],
  )
  await sql`insert into migrations ${sql(applied)}`
  await sql`update migrations set checksum = 'changed'`
  const [, changed] = await examine(url)
  assert.deepEqual([changed?.status, /was changed/.test(changed?.message ?? '')], ['error', true])
})

test('each missing trigram index is noted, and the suggested SQL creates it as the migrations do', async (t) => {
  const url = await migrated(await server.database(t))
  const sql = postgres(url, { onnotice: () => {} })
  cleanUp(t, () => sql.end())
  const definitions = () => sql`
    select indexname, indexdef from pg_indexes where indexdef like '%gin_trgm_ops%' order by 1`
  const created = await definitions()
  for (const { indexname } of created) {
    await sql`drop index ${sql(indexname)}`
    assert.equal((await examine(url)).at(-1)?.status, 'note', indexname)
    await createIndexes()
  }
  await sql`drop extension pg_trgm cascade`
  await createIndexes()
  assert.deepEqual(await definitions(), created)

  async function createIndexes(): Promise<void> {
    const note = (await examine(url)).at(-1)
    assert.equal(note?.status, 'note')
    for (const statement of note.remedy?.split(';') ?? []) await sql.unsafe(statement)
    assert.equal((await examine(url)).at(-1)?.status, 'ok')
  }
})

test('each reason why the database cannot be used is reported with a remedy', async (t) => {
  const url = new URL(await server.database(t))
  const cases: [Partial<URL>, RegExp, RegExp][] = [
    [{ password: 'wrong' }, /rejects the login of postgres/, /STOWAGE_DATABASE/],
    [
      { pathname: '/nothing' },
      /has no database nothing/,
      /createdb --host 127\.0\.0\.1 --port \d+ .* nothing$/,
    ],
    [
      { port: String(await freePort()) },
      /does not respond at 127\.0\.0\.1:\d+/,
      /start the server/,
    ],
  ]
  for (const [change, message, remedy] of cases) {
    const [finding, ...others] = await examine(Object.assign(new URL(url), change).href)
    assert.deepEqual([finding?.status, others], ['error', []])
    assert.match(finding?.message ?? '', message)
    assert.match(finding?.remedy ?? '', remedy)
    assert.doesNotMatch(JSON.stringify(finding), /:test@|wrong@/)
  }
})

test('the remedy for a failed TLS connection never disables TLS or the verification', async (t) => {
  const missing = await ensureInstalled('openssl')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const plain = new URL(await server.database(t))
  const authority = await anAuthority(t)
  const behindTls = async (names: string, days?: number) => {
    const files = await authority.issue('server', names, days)
    const port = await startTlsProxy(t, Number(plain.port), files)
    return Object.assign(new URL(plain), { port: String(port) })
  }
  const withRoot = (url: URL, file: string) => {
    const named = new URL(url)
    named.searchParams.set('sslrootcert', file)
    return named
  }
  const valid = await behindTls('IP:127.0.0.1')
  const elsewhere = withRoot(await behindTls('DNS:db.example.com'), authority.file)
  const cases: [URL, RegExp, RegExp][] = [
    [plain, /TLS connection .* failed/, /^enable TLS on the server/],
    [valid, /unable to verify the first certificate/, /sslrootcert=FILE/],
    [withRoot(valid, '/missing.pem'), /sslrootcert .* cannot be read: \/missing/, /the path/],
    [elsewhere, /altnames/, /a host name in STOWAGE_DATABASE/],
  ]
  for (const [url, message, remedy] of cases) {
    const [finding, ...others] = await examine(url.href, undefined, 'verify')
    assert.deepEqual([finding?.status, others], ['error', []])
    assert.match(finding?.message ?? '', message)
    assert.match(finding?.remedy ?? '', remedy)
    assert.doesNotMatch(finding?.remedy ?? '', /\boff\b|require|STOWAGE_DATABASE_TLS/)
  }
  const unused = await examine(withRoot(plain, authority.file).href)
  assert.match(unused.find(({ status }) => status === 'note')?.remedy ?? '', /sslmode=verify-full/)
  assert.equal(
    (await examine(withRoot(valid, authority.file).href, undefined, 'verify'))[0]?.status,
    'ok',
  )
})

test('a difference between the clocks of this machine and the server is noted', async (t) => {
  const url = await migrated(await server.database(t))
  const [finding] = await examine(url, () => new Date(Date.now() + 3_600_000))
  assert.deepEqual(finding?.status, 'note')
  assert.match(finding?.message ?? '', /clock is 3600 s ahead of the database’s/)
})
