import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import { claimAt } from '../contract/builders.ts'
import type { ReportUpgrade } from '../migrate.ts'
import { openConnection } from './connection.ts'
import { fillSortNames, LOCK, MIGRATIONS } from './migrations.ts'
import { openPostgresDatabase } from './postgres-database.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const server = await aPostgresServer()
/** The number of migrations in version 0.1.0. */
const RELEASED = 4
/** The number of migrations in the last version that stored the secrets of webhooks in plain text. */
const WITH_PLAIN_SECRETS = 20
/** With the other assets, more than one batch of `fillSortNames`. */
const MANY_FILES = 5_000
const FEW_FILES = 100

async function open(url: string, report: ReportUpgrade = () => {}) {
  const options = { url, poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  return openPostgresDatabase(options, { report })
}

function connectTo(t: TestContext, url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  return sql
}

/** The number of assets that have no stored object. */
const OTHERS = 4

/** The tables of an earlier version, which had this many migrations. */
async function createTables(sql: postgres.Sql, migrations: number): Promise<void> {
  await sql`
    create table migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null
    )`
  for (const name of (await readdir(MIGRATIONS)).sort().slice(0, migrations)) {
    const text = await readFile(join(MIGRATIONS, name), 'utf8')
    await sql.unsafe(text).simple()
    const checksum = createHash('sha256').update(text).digest('hex')
    await sql`insert into migrations values (${name}, ${checksum}, now())`
  }
}

/** A database as version 0.1.0 created it, with stored files and other assets. */
async function createReleased(sql: postgres.Sql, files: number): Promise<void> {
  await createTables(sql, RELEASED)
  await sql`
    insert into accounts (id, name, plan_name, plan_storage, created_at)
    values (${'0'.repeat(32)}, 'a', 'a', 1000000000000, now())`
  await sql`
    insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime, created_at,
      upload_id, storage_id, chunk_size, changed_at)
    select lpad(n::text, 32, '0')::uuid, (select id from accounts), 'file', 'ready', n || '.zip',
      n || '.zip', n, 'application/zip', now(), gen_random_uuid(), n, 100000000, now()
    from generate_series(1, ${files}::int) n
    union all
    select gen_random_uuid(), (select id from accounts), kind, status, 'b', 'b', 7, 'text/plain', now(),
      gen_random_uuid(), 0, 100, now()
    from (values ('link', 'ready'), ('file', 'uploading'), ('file', 'deleted'), ('file', 'cancelled'))
      others (kind, status)`
}

async function countApplied(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::int as count from migrations`
  return row?.count
}

/** Tables, columns and indexes. */
async function readSchema(sql: postgres.Sql): Promise<readonly unknown[]> {
  return sql`
    select table_name || '.' || column_name || ' ' || data_type as line
    from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public' order by 1`
}

/** Makes the migration fail at its very end: all of its statements have run, but it is not recorded. */
async function interrupt(sql: postgres.Sql, migration: string): Promise<void> {
  await sql.unsafe(`
    create function interrupt() returns trigger language plpgsql as $$
    begin
      if new.name = '${migration}' then raise 'interrupted'; end if;
      return new;
    end $$;
    create trigger interruption before insert on migrations for each row execute function interrupt()`)
}

test('an upgrade that fails in any migration, or loses its connection, continues at the next start without data loss', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createReleased(sql, MANY_FILES)
  const names = (await readdir(MIGRATIONS)).sort()
  const total = names.length
  const disconnectedAt = total - 3
  for (const [index, name] of names.entries()) {
    if (index < RELEASED) continue
    if (index === disconnectedAt) {
      const opening = open(url).then(
        (database) => database.close(),
        () => {},
      )
      await until('the next migration has run', async () => (await countApplied(sql)) > index)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'stowage'`
      await opening
    }
    if ((await countApplied(sql)) > index) continue
    await interrupt(sql, name)
    await assert.rejects(open(url), /interrupted/)
    assert.equal(await countApplied(sql), index)
    await sql`drop function interrupt cascade`
  }
  await (await open(url)).close()
  assert.equal(await countApplied(sql), total)
  const [counted] = await sql`
    select (select count(*) from assets)::int as assets,
      (select count(sort_name) from assets)::int as sort_names,
      (select count(*) from checksums where queue = 'backlog')::int as checksums,
      (select sum(bytes) from checksums)::int as bytes`
  const assets = MANY_FILES + OTHERS
  const bytes = (MANY_FILES * (MANY_FILES + 1)) / 2
  const expected = { assets, sort_names: assets, checksums: MANY_FILES, bytes }
  assert.deepEqual({ ...counted }, expected)
  // The same tables as those of a new database.
  const fresh = connectTo(t, await server.database(t))
  assert.deepEqual(await readSchema(sql), await readSchema(fresh))
})

test('only a start that may migrate changes an older database', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  const options = { url, poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  const refused = ['off', 'never'] as const
  for (const migrate of refused) {
    await assert.rejects(openPostgresDatabase(options, { migrate }), /is empty.*: stowage migrate/)
  }
  await createReleased(sql, FEW_FILES)
  const [before, schema] = [await countApplied(sql), await readSchema(sql)]
  for (const migrate of refused) {
    const opening = openPostgresDatabase(options, { migrate })
    await assert.rejects(opening, /older version.*pending migrations.*: stowage migrate/)
  }
  assert.equal(await countApplied(sql), before)
  assert.deepEqual(await readSchema(sql), schema)
  await (await open(url)).close()
  // The role of the service does not have to own the tables.
  const role = `service_${randomBytes(4).toString('hex')}`
  await sql.unsafe(`create role ${role} login password 'test';
    grant select, insert, update, delete on all tables in schema public to ${role};
    grant usage on all sequences in schema public to ${role}`)
  cleanUp(t, () => sql.unsafe(`drop owned by ${role}; drop role ${role}`))
  const asRole = Object.assign(new URL(url), { username: role, password: 'test' }).href
  for (const migrate of refused) {
    const database = await openPostgresDatabase({ ...options, url: asRole }, { migrate })
    assert.equal(await database.findNewerMigration(), undefined)
    await sql`insert into migrations values ('9999_future.sql', '', now())`
    assert.equal(await database.findNewerMigration(), '9999_future.sql')
    await sql`delete from migrations where name = '9999_future.sql'`
    await database.close()
  }
})

test('an instance that waits for an upgrade by another instance reports it, and then starts', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createReleased(sql, FEW_FILES)
  await sql`select pg_advisory_lock(${LOCK})`
  const reports: { message: string; migration?: string }[] = []
  const report: ReportUpgrade = (message, facts) => reports.push({ message, ...facts })
  const opening = open(url, report)
  await until('the instance reports that it waits', () => reports.length > 0)
  assert.deepEqual(reports, [
    { message: 'waiting for another instance, which is upgrading the database' },
  ])
  await sql`select pg_advisory_unlock(${LOCK})`
  await (await opening).close()
  const names = (await readdir(MIGRATIONS)).sort().slice(RELEASED)
  assert.deepEqual(
    reports.slice(1).map(({ migration }) => migration),
    names,
  )
})

test('an instance of an earlier version that still runs after the upgrade claims no deliveries of webhooks', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createTables(sql, WITH_PLAIN_SECRETS)
  const account = randomUUID()
  const webhook = randomUUID()
  await sql`
    insert into accounts (id, name, plan_name, plan_storage, created_at)
    values (${account}, 'a', 'a', 1000000, now())`
  await sql`
    insert into webhooks (id, account_id, url, description, secret, previous_secrets, last_event,
      created_at, updated_at)
    values (${webhook}, ${account}, 'http://localhost', '', 'whsec_AAAA', '[]', 0, now(), now())`
  await sql`
    insert into deliveries (id, webhook_id, event_id, type, body, status, created_at, due_at)
    values (${randomUUID()}, ${webhook}, 1, 'asset.ready', '{}', 'pending', now(), now())`
  // The statement with which the earlier version claims deliveries.
  const claim = () => sql`
    update deliveries set due_at = now(), claimed_until = now(), claims = claims + 1
    where webhook_id = ${webhook} and status = 'pending' and due_at <= now() returning *`
  assert.equal((await claim()).length, 1)
  const database = await open(url)
  cleanUp(t, () => database.close())
  // It would sign with the encrypted text of the secret, and send no body for events that the new version has queued.
  await assert.rejects(claim(), /claimed_until/)
  const claimed = await claimAt(database, new Date(Date.now() + 60_000))
  assert.deepEqual(
    claimed.map(({ delivery: { body }, claim: count }) => ({ body, count })),
    [{ body: '{}', count: 2 }],
  )
})

test('sort names of many assets are filled while the indexes are dropped, and the same indexes exist afterward', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createReleased(sql, FEW_FILES)
  await (await open(url)).close()
  const expected = await readSchema(sql)
  const connection = openConnection({ url, poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' })
  cleanUp(t, () => connection.close())
  const fill = async (report: ReportUpgrade) => {
    await sql`update assets set sort_name = null`
    await fillSortNames(connection.sql, report, { many: FEW_FILES })
  }
  const indexes: unknown[] = []
  await fill((_message, { index }) => index && indexes.push(index))
  assert.ok(indexes.includes('assets_names') && indexes.includes('assets_by_name'))
  assert.deepEqual(await readSchema(sql), expected)
  const isFilled = async () => {
    const [row] = await sql`select bool_and(sort_name is not null) as filled from assets`
    return row?.filled
  }
  assert.equal(await isFilled(), true)
  // Interrupted after some of the indexes were created.
  const stop = (_message: string, { index }: { index?: unknown }) => {
    if (index === 'assets_by_name') throw new Error('interrupted')
  }
  await assert.rejects(fill(stop), /interrupted/)
  assert.deepEqual(await readSchema(sql), expected)
  assert.equal(await isFilled(), false)
})
