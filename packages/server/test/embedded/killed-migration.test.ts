import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withNewerMigrations } from '@stowage/testing/engines/newer-migrations'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { listMigrations } from '../../src/database/migrate.ts'
import { MIGRATIONS } from '../../src/database/sqlite/migrations.ts'
import { openSqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts'

const OPEN = fileURLToPath(new URL('../support/open-sqlite-file.ts', import.meta.url))
const FILES = 5_000

/** Migrations of the kinds that a newer version may have: new columns, tables, indexes and triggers. */
const NEWER = {
  '9001_column.sql': `alter table assets add column newer text;
    update assets set newer = filename || ' newer' where status = 'ready';`,
  '9002_table.sql': `create table newer_assets (id text primary key, bytes integer not null) strict;
    insert into newer_assets select id, bytes from assets where status = 'ready';`,
  '9003_index.sql': 'create index assets_by_newer on assets (account_id, newer);',
  '9004_trigger.sql': `drop table trash_exceptions;
    create trigger assets_newer after update of newer on assets begin
      update newer_assets set bytes = new.bytes where id = new.id;
    end;`,
}
const NAMES = Object.keys(NEWER)
/** The files and one upload, which has no stored object. */
const ASSETS = FILES + 1

/** A database as this version creates it, with stored files and an upload. */
async function createFile(t: TestContext): Promise<string> {
  const file = join(await aFolder(t), 'a.db')
  await (await openSqliteDatabase({ file })).close()
  const database = new DatabaseSync(file)
  database.exec(`
    insert into accounts (id, name, plan_name, plan_storage, created_at) values ('a', 'a', 'a', 1e15, 0);
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ASSETS})
    insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime, created_at,
      upload_id, storage_id, chunk_size, changed_at)
    select printf('01980000-0000-7000-8000-%012d', n), 'a', 'file', iif(n = ${ASSETS}, 'uploading', 'ready'),
      n || '.zip', n || '.zip', n, n, 'application/zip', n, n, n, 100000000, n from numbers`)
  database.close()
  return file
}

function countApplied(database: DatabaseSync): number {
  return Number(database.prepare('select count(*) as n from migrations').get()?.n)
}

function readSchema(database: DatabaseSync) {
  const sql = `select type, name, sql from sqlite_schema where name <> 'migrations' order by type, name`
  return database.prepare(sql).all()
}

/** Makes the migration fail at its very end: all of its statements have run, but it is not recorded. */
function interrupt(database: DatabaseSync, migration: string): void {
  database.exec(`
    create trigger interruption before insert on migrations when new.name = '${migration}' begin
      select raise(abort, 'interrupted');
    end`)
}

test('an upgrade that is interrupted in any migration or killed continues at the next start, and loses nothing', async (t) => {
  const migrations = await withNewerMigrations(t, MIGRATIONS, NEWER)
  const file = await createFile(t)
  const watching = new DatabaseSync(file)
  cleanUp(t, () => watching.close())
  const released = countApplied(watching)
  const killedAt = NAMES.length - 2
  for (const [index, name] of NAMES.entries()) {
    if (index === killedAt) {
      const child = spawn(process.execPath, [OPEN, file, migrations], { stdio: 'inherit' })
      const exited = once(child, 'exit')
      await until('the next migration has run', () => countApplied(watching) > released + index)
      child.kill('SIGKILL')
      await exited
    }
    if (countApplied(watching) > released + index) continue
    interrupt(watching, name)
    await assert.rejects(openSqliteDatabase({ file }, { migrations }), /interrupted/)
    assert.equal(countApplied(watching), released + index)
    watching.exec('drop trigger interruption')
  }
  const database = await openSqliteDatabase({ file }, { migrations })
  await database.close()
  assert.equal(countApplied(watching), released + NAMES.length)
  const one = (sql: string) => Object.values(watching.prepare(sql).get() ?? {})[0]
  assert.equal(one('pragma integrity_check'), 'ok')
  assert.equal(one('select count(*) from assets'), ASSETS)
  assert.equal(one(`select count(*) from assets where newer = filename || ' newer'`), FILES)
  // Each object has exactly one row.
  assert.equal(one('select sum(bytes) from newer_assets'), (FILES * (FILES + 1)) / 2)
  assert.equal(one('select count(*) from newer_assets'), FILES)
  // The same tables as those of a new database.
  const other = join(await aFolder(t), 'b.db')
  await (await openSqliteDatabase({ file: other }, { migrations })).close()
  const fresh = new DatabaseSync(other)
  cleanUp(t, () => fresh.close())
  assert.deepEqual(readSchema(watching), readSchema(fresh))
})

test('the creation of a database that is interrupted starts again', async (t) => {
  const file = join(await aFolder(t), 'a.db')
  const watching = new DatabaseSync(file)
  cleanUp(t, () => watching.close())
  watching.exec(
    'create table migrations (name text primary key, checksum text not null, applied_at text not null) strict',
  )
  interrupt(watching, '0001_baseline.sql')
  const before = readSchema(watching)
  await assert.rejects(openSqliteDatabase({ file }), /interrupted/)
  assert.deepEqual(readSchema(watching), before)
  watching.exec('drop trigger interruption')
  await (await openSqliteDatabase({ file })).close()
  assert.equal(countApplied(watching), (await listMigrations(MIGRATIONS)).length)
  assert.equal(watching.prepare('select count(*) as n from identity').get()?.n, 1)
})

test('an upgrade reports each migration, and the creation of a database reports nothing', async (t) => {
  const migrations = await withNewerMigrations(t, MIGRATIONS, NEWER)
  const file = await createFile(t)
  const reports: object[] = []
  const report = (message: string, facts: object) => reports.push({ message, ...facts })
  await (await openSqliteDatabase({ file }, { report, migrations })).close()
  const expected = NAMES.map((migration, index) => ({
    message: 'upgrading the database',
    migration,
    step: index + 1,
    of: NAMES.length,
  }))
  assert.deepEqual(reports, expected)
  await (await openSqliteDatabase({ file }, { report, migrations })).close()
  const other = join(await aFolder(t), 'b.db')
  await (await openSqliteDatabase({ file: other }, { report, migrations })).close()
  assert.equal(reports.length, expected.length)
})
