import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import postgres from 'postgres'
import { aLink, NEWEST, numbersOf, select } from './contract/builders.ts'
import type { Database } from './database.ts'
import { MIGRATIONS as POSTGRES_MIGRATIONS, splitMigration } from './postgres/migrations.ts'
import { openPostgresDatabase } from './postgres/postgres-database.ts'
import { MIGRATIONS as SQLITE_MIGRATIONS } from './sqlite/migrations.ts'
import { openSqliteDatabase } from './sqlite/sqlite-database.ts'

/** A small database of each release, which `write.ts` in this folder stored. */
const RELEASES = join(import.meta.dirname, '../../test/releases')
const versions = (await readdir(RELEASES)).filter((name) => /^\d/.test(name))
const server = await aPostgresServer()

interface Release {
  /** The rows. */
  rows: string
  /** The migrations of the release. */
  migrations: string[]
}

/** The migrations that the rows name. A migration that has changed since the release fails the test. */
async function readRelease(version: string, engine: string, folder: string): Promise<Release> {
  const rows = await readFile(join(RELEASES, version, `${engine}.sql`), 'utf8')
  const applied = [...rows.matchAll(/values \('(\d+_\w+\.sql)', '([0-9a-f]{64})'/g)]
  assert.ok(applied.length > 0)
  const migrations = await Promise.all(
    applied.map(async ([, name = '', checksum]) => {
      const sql = await readFile(join(folder, name), 'utf8')
      const actual = createHash('sha256').update(sql).digest('hex')
      assert.equal(actual, checksum, `${name} was released and must not change`)
      return sql
    }),
  )
  return { rows, migrations }
}

/** Triggers are dropped meanwhile: the rows that they create are part of the release. */
function loadSqlite(file: string, { rows, migrations }: Release): void {
  const database = new DatabaseSync(file)
  database.exec(
    'create table migrations (name text primary key, checksum text not null, applied_at text not null) strict',
  )
  for (const sql of migrations) database.exec(sql)
  const triggers = database
    .prepare(`select name, sql from sqlite_schema where type = 'trigger' order by rowid`)
    .all()
  for (const { name } of triggers) database.exec(`drop trigger ${name}`)
  database.exec(`delete from identity; begin; ${rows} commit`)
  for (const { sql } of triggers) database.exec(String(sql))
  database.close()
}

async function loadPostgres(
  t: TestContext,
  url: string,
  { rows, migrations }: Release,
): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  await sql`
    create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null)`
  for (const { indexes, rest } of migrations.map(splitMigration)) {
    for (const { statement } of indexes) await sql.unsafe(statement).simple()
    await sql.unsafe(rest).simple()
  }
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`
  const alter = (action: string) =>
    sql
      .unsafe(tables.map(({ name }) => `alter table ${name} ${action} trigger user;`).join(''))
      .simple()
  await alter('disable')
  await sql.unsafe(`delete from identity; ${rows}`).simple()
  await alter('enable')
}

/** Reads the rows of the release, and changes some of them. */
async function checkData(database: Database): Promise<void> {
  const accounts = await database.listAccounts()
  const shop = accounts.find(({ name }) => name === 'shop') ?? assert.fail()
  const data = database.of(shop.id)
  const list = async (words: string[] = []) => {
    const { rows } = await data.listAssets({ page: 1, perPage: 10, sort: NEWEST, words })
    return rows.map(({ filename }) => filename)
  }
  assert.deepEqual((await list()).sort(), ['a link', 'song 9.wav', 'Über 10.zip'])
  assert.deepEqual(await list(['über', 'teil']), ['Über 10.zip'])
  assert.deepEqual(await list(['äsku']), ['Über 10.zip'])
  const [replaced] = (await data.listAssets({ page: 1, perPage: 1, sort: NEWEST, words: ['über'] }))
    .rows
  assert.deepEqual(await numbersOf(data, replaced?.id ?? ''), ['2*', '1'])
  const { limit, stored, reserved } = await data.readSummary()
  assert.deepEqual({ limit, stored, reserved }, { limit: 100_000, stored: 350, reserved: 1010 })
  const { events, lastId } = await data.listEvents({ after: 0, limit: 100 })
  assert.deepEqual([events.length, lastId], [25, 25])
  const [webhook] = await data.listWebhooks()
  assert.equal(webhook?.secret, 'sealed:0123456789abcdef:AAAA')
  assert.equal((await database.listAllDeliveries(webhook.id, undefined, 10)).length, 2)
  assert.equal(await database.readSecretKeyId(), '0123456789abcdef')
  const [key = assert.fail(), ...otherKeys] = await data.listKeys()
  assert.equal(otherKeys.length, 0)
  const addOnce = (id: string) => {
    const once = { key: 'admin order-1', digest: 'digest', id, nonce: 'nonce' }
    return data.addKeyOnce(once, { ...key, id, hash: `hash of ${id}` }, 100)
  }
  const added = '01990000-0000-7000-8000-000000000002'
  assert.equal((await addOnce(added)).outcome, 'first')
  const repeated = await addOnce('01990000-0000-7000-8000-000000000003')
  assert.deepEqual(repeated, { outcome: 'repeated', id: added, nonce: 'nonce' })

  const link = await aLink(data, { filename: 'a new link' })
  assert.deepEqual(await data.attachProducts(link, select({ variantIds: [12] })), {
    outcome: 'done',
  })
  assert.deepEqual((await list(['äsku'])).sort(), ['a new link', 'Über 10.zip'])
  await database.removeOldTrash(-1)
  for (const { counted, actual, wrongBlocks } of await database.compareUsage()) {
    assert.deepEqual(counted, actual)
    assert.equal(wrongBlocks, 0)
  }
}

for (const version of versions) {
  test(`sqlite: a database of version ${version} is upgraded, and keeps its data`, async (t) => {
    const folder = await aFolder(t)
    const [file, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
    loadSqlite(file, await readRelease(version, 'sqlite', SQLITE_MIGRATIONS))
    const database = await openSqliteDatabase({ file })
    await checkData(database)
    await database.close()
    await (await openSqliteDatabase({ file: other })).close()
    const schemaOf = (path: string) => {
      const opened = new DatabaseSync(path, { readOnly: true })
      cleanUp(t, () => opened.close())
      return opened
        .prepare(
          `select type, name, sql from sqlite_schema where name <> 'migrations' order by 1, 2`,
        )
        .all()
    }
    assert.deepEqual(schemaOf(file), schemaOf(other))
  })

  test(`postgres: a database of version ${version} is upgraded, and keeps its data`, async (t) => {
    const url = await server.emptyDatabase(t)
    await loadPostgres(t, url, await readRelease(version, 'postgres', POSTGRES_MIGRATIONS))
    const options = { url, poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
    const database = await openPostgresDatabase(options)
    cleanUp(t, () => database.close())
    await checkData(database)
  })
}
