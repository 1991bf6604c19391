import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { withNewerMigrations } from '@stowage/testing/engines/newer-migrations'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import type { OpenOptions, ReportUpgrade } from '../migrate.ts'
import { LOCK, MIGRATIONS } from './migrations.ts'
import { openPostgresDatabase } from './postgres-database.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const server = await aPostgresServer()
const FILES = 5_000
const FEW_FILES = 100

/** Migrations of the kinds that a newer version may have: new columns, tables, indexes and triggers. */
const NEWER = {
  '9001_column.sql': `alter table assets add column newer text;
    update assets set newer = filename || ' newer' where status = 'ready';`,
  '9002_table.sql': `create table newer_assets (id uuid primary key, bytes bigint not null);
    insert into newer_assets select id, bytes from assets where status = 'ready';`,
  '9003_index.sql': 'create index assets_by_newer on assets (account_id, newer);',
  '9004_trigger.sql': `drop table trash_exceptions;
    create function assets_newer() returns trigger language plpgsql as $$
    begin
      update newer_assets set bytes = new.bytes where id = new.id;
      return null;
    end $$;
    create trigger assets_newer after update of newer on assets for each row execute function assets_newer();`,
  '9005_drop.sql': 'alter table identity drop column unfinished_move;',
}
const NAMES = Object.keys(NEWER)

function newerMigrations(t: TestContext): Promise<string> {
  return withNewerMigrations(t, MIGRATIONS, NEWER)
}

function open(url: string, options: OpenOptions = {}) {
  const connection = { url, poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  return openPostgresDatabase(connection, options)
}

function connectTo(t: TestContext, url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  return sql
}

/** A database as this version creates it, with stored files and an upload, which has no stored object. */
async function createDatabase(url: string, sql: postgres.Sql, files: number): Promise<void> {
  await (await open(url)).close()
  await sql`
    insert into accounts (id, name, plan_name, plan_storage, created_at)
    values (${'0'.repeat(32)}, 'a', 'a', 1000000000000, now())`
  await sql`
    insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime, created_at,
      upload_id, storage_id, chunk_size, changed_at)
    select lpad(n::text, 32, '0')::uuid, (select id from accounts), 'file',
      case when n > ${files} then 'uploading' else 'ready' end, n || '.zip', n || '.zip', n, n,
      'application/zip', now(), gen_random_uuid(), n, 100000000, now()
    from generate_series(1, ${files + 1}::int) n`
}

async function countApplied(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::int as count from migrations`
  return row?.count
}

/** Tables, columns, indexes and triggers. */
async function readSchema(sql: postgres.Sql): Promise<readonly unknown[]> {
  return sql`
    select table_name || '.' || column_name || ' ' || data_type as line
    from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) from pg_trigger
      where not tgisinternal and tgname <> 'interruption'
    order by 1`
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
  const migrations = await newerMigrations(t)
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createDatabase(url, sql, FILES)
  const released = await countApplied(sql)
  const disconnectedAt = NAMES.length - 3
  for (const [index, name] of NAMES.entries()) {
    if (index === disconnectedAt) {
      const opening = open(url, { migrations }).then(
        (database) => database.close(),
        () => {},
      )
      await until('the next migration has run', async () => {
        return (await countApplied(sql)) > released + index
      })
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'stowage'`
      await opening
    }
    if ((await countApplied(sql)) > released + index) continue
    await interrupt(sql, name)
    await assert.rejects(open(url, { migrations }), /interrupted/)
    assert.equal(await countApplied(sql), released + index)
    await sql`drop function interrupt cascade`
  }
  await (await open(url, { migrations })).close()
  assert.equal(await countApplied(sql), released + NAMES.length)
  const [counted] = await sql`
    select (select count(*) from assets)::int as assets,
      (select count(*) from assets where newer = filename || ' newer')::int as filled,
      (select count(*) from newer_assets)::int as files,
      (select sum(bytes) from newer_assets)::int as bytes`
  const bytes = (FILES * (FILES + 1)) / 2
  assert.deepEqual({ ...counted }, { assets: FILES + 1, filled: FILES, files: FILES, bytes })
  // The same tables as those of a new database.
  const other = await server.emptyDatabase(t)
  await (await open(other, { migrations })).close()
  assert.deepEqual(await readSchema(sql), await readSchema(connectTo(t, other)))
})

test('only a start that may migrate changes an older database', async (t) => {
  const migrations = await newerMigrations(t)
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  const off = { migrate: 'off', migrations } as const
  await assert.rejects(open(url, off), /is empty.*: stowage migrate/)
  await createDatabase(url, sql, FEW_FILES)
  const [before, schema] = [await countApplied(sql), await readSchema(sql)]
  await assert.rejects(open(url, off), /older version.*pending migrations.*: stowage migrate/)
  assert.equal(await countApplied(sql), before)
  assert.deepEqual(await readSchema(sql), schema)
  // The role of the service does not have to own the tables.
  const role = `service_${randomBytes(4).toString('hex')}`
  await sql.unsafe(`create role ${role} login password 'test';
    grant select, insert, update, delete on all tables in schema public to ${role};
    grant usage on all sequences in schema public to ${role}`)
  cleanUp(t, () => sql.unsafe(`drop owned by ${role}; drop role ${role}`))
  const asRole = Object.assign(new URL(url), { username: role, password: 'test' }).href
  const database = await open(asRole, { migrate: 'off' })
  assert.equal(await database.findNewerMigration(), undefined)
  await (await open(url, { migrations })).close()
  assert.equal(await database.findNewerMigration(), NAMES.at(-1))
  await database.close()
  await assert.rejects(open(asRole, { migrate: 'off' }), /newer version of Stowage/)
})

test('a database that is older than the first release is refused', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await (await open(url)).close()
  await sql`update migrations set name = '0001_assets.sql' where name = '0001_baseline.sql'`
  for (const migrate of ['auto', 'off'] as const) {
    const expected = /before 0\.2\.0, and cannot be upgraded\. .* an empty database/
    await assert.rejects(open(url, { migrate }), expected)
  }
})

test('an instance that waits for an upgrade by another instance reports it, and then starts', async (t) => {
  const migrations = await newerMigrations(t)
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createDatabase(url, sql, FEW_FILES)
  await sql`select pg_advisory_lock(${LOCK})`
  const reports: { message: string; migration?: string }[] = []
  const report: ReportUpgrade = (message, facts) => reports.push({ message, ...facts })
  const opening = open(url, { report, migrations })
  await until('the instance reports that it waits', () => reports.length > 0)
  assert.deepEqual(reports, [
    { message: 'waiting for another instance, which is upgrading the database' },
  ])
  await sql`select pg_advisory_unlock(${LOCK})`
  await (await opening).close()
  assert.deepEqual(
    reports.slice(1).map(({ migration }) => migration),
    NAMES,
  )
})

test('an upgrade waits for a running transaction, and others work meanwhile', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createDatabase(url, sql, FEW_FILES)
  const migrations = await withNewerMigrations(t, MIGRATIONS, {
    '9001_column.sql': 'alter table assets add column newer text;',
  })
  const running = connectTo(t, url)
  await running`begin`
  await running`select count(*) from assets`
  const messages: string[] = []
  const opening = open(url, { migrations, report: (message) => messages.push(message) })
  const isWaiting = () => messages.some((message) => message.includes('running transactions'))
  await sql`set statement_timeout = '5s'`
  await until('the upgrade reports that it waits', async () => {
    await sql`update assets set mime = 'text/plain' where filename = '1.zip'`
    return isWaiting()
  })
  await running`commit`
  await (await opening).close()
  assert.equal(messages.filter((message) => message === 'upgrading the database').length, 1)
  assert.equal((await sql`select newer from assets`).length, FEW_FILES + 1)
})

const INDEX = 'create index concurrently assets_by_mime on assets (account_id, mime);'

test('an index that a killed upgrade has not finished is created again', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createDatabase(url, sql, FEW_FILES)
  const migrations = await withNewerMigrations(t, MIGRATIONS, { '9001_index.sql': INDEX })
  // The only way to leave an index that is not valid without killing a process at the right moment.
  await assert.rejects(
    sql`create unique index concurrently assets_by_mime on assets (account_id)`,
    /could not create unique index/,
  )
  await (await open(url, { migrations })).close()
  const [index] = await sql`
    select indisvalid as is_valid, indisunique as is_unique from pg_index
    where indexrelid = 'assets_by_mime'::regclass`
  assert.deepEqual({ ...index }, { is_valid: true, is_unique: false })
})

test('an upgrade gives way to an instance of 0.2.0 that waits for the lock in a statement', async (t) => {
  const url = await server.emptyDatabase(t)
  const sql = connectTo(t, url)
  await createDatabase(url, sql, FEW_FILES)
  const migrations = await withNewerMigrations(t, MIGRATIONS, { '9001_index.sql': INDEX })
  const running = connectTo(t, url)
  await running`begin`
  await running`update assets set mime = 'text/plain' where filename = '1.zip'`
  const opening = open(url, { migrations })
  const isActive = (text: string) => async () => {
    const [row] = await sql`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`${text}%`}`
    return row?.n > 0
  }
  await until('the index waits for the transaction', isActive('create index concurrently'))
  const old = connectTo(t, url)
  // It looks for a deadlock only once, before there is one, as if it had waited for long.
  await old`set deadlock_timeout = '1ms'`
  const locked = old`select pg_advisory_lock(${LOCK})`.execute()
  await until('the old instance waits for the lock', isActive('select pg_advisory_lock'))
  await running`commit`
  await locked
  await old`select pg_advisory_unlock(${LOCK})`
  await (await opening).close()
})
