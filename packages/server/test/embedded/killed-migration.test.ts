import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { MIGRATIONS } from '../../src/database/sqlite/migrations.ts'
import { openSqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts'

const OPEN = fileURLToPath(new URL('../support/open-sqlite-file.ts', import.meta.url))
/** The number of migrations of version 0.1.0. */
const RELEASED = 4
const FILES = 5_000

/** The number of assets that have no stored object. */
const OTHERS = 4

/** A database as version 0.1.0 created it, with stored files and other assets. */
async function createReleased(file: string): Promise<void> {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal')
  database.exec(
    'create table migrations (name text primary key, checksum text not null, applied_at text not null) strict',
  )
  const names = (await readdir(MIGRATIONS)).sort().slice(0, RELEASED)
  for (const name of names) {
    const sql = await readFile(join(MIGRATIONS, name), 'utf8')
    database.exec(sql)
    const checksum = createHash('sha256').update(sql).digest('hex')
    database.prepare(`insert into migrations values (?, ?, '')`).run(name, checksum)
  }
  database.exec(`
    insert into accounts (id, name, plan_name, plan_storage, created_at) values ('a', 'a', 'a', 1e15, 0);
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${FILES})
    insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime, created_at,
      upload_id, storage_id, chunk_size, changed_at)
    select printf('01980000-0000-7000-8000-%012d', n), 'a', 'file', 'ready', n || '.zip', n || '.zip', n,
      'application/zip', n, n, n, 100000000, n from numbers;
    insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime, created_at,
      upload_id, storage_id, chunk_size, changed_at)
    select '01980000-0000-7000-8001-00000000000' || column1, 'a', column2, column3, 'b', 'b', 7, 'text/plain', 1,
      column1, column1, 100, 1
    from (values (1, 'link', 'ready'), (2, 'file', 'uploading'), (3, 'file', 'deleted'), (4, 'file', 'cancelled'))`)
  database.close()
}

function countApplied(database: DatabaseSync): number {
  return Number(database.prepare('select count(*) as n from migrations').get()?.n)
}

/** Makes the migration fail at its very end: all of its statements have run, but it is not recorded. */
function interrupt(database: DatabaseSync, migration: string): void {
  database.exec(`
    create trigger interruption before insert on migrations when new.name = '${migration}' begin
      select raise(abort, 'interrupted');
    end`)
}

test('an upgrade that is interrupted in any migration or killed continues at the next start, and loses nothing', async (t) => {
  const folder = await aFolder(t)
  const [file, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
  await createReleased(file)
  const watching = new DatabaseSync(file)
  cleanUp(t, () => watching.close())
  const names = (await readdir(MIGRATIONS)).sort()
  const total = names.length
  const killedAt = total - 3
  for (const [index, name] of names.entries()) {
    if (index < RELEASED) continue
    if (index === killedAt) {
      const child = spawn(process.execPath, [OPEN, file], { stdio: 'inherit' })
      const exited = once(child, 'exit')
      await until('the next migration has run', () => countApplied(watching) > index)
      child.kill('SIGKILL')
      await exited
    }
    if (countApplied(watching) > index) continue
    interrupt(watching, name)
    await assert.rejects(openSqliteDatabase({ file }), /interrupted/)
    assert.equal(countApplied(watching), index)
    watching.exec('drop trigger interruption')
  }
  const database = await openSqliteDatabase({ file })
  await database.close()
  assert.equal(countApplied(watching), total)
  const one = (sql: string) => Object.values(watching.prepare(sql).get() ?? {})[0]
  assert.equal(one('pragma integrity_check'), 'ok')
  assert.equal(one('select count(*) from assets'), FILES + OTHERS)
  // Each object has exactly one row.
  assert.equal(one(`select count(*) from checksums where queue = 'backlog'`), FILES)
  assert.equal(one('select sum(bytes) from checksums'), (FILES * (FILES + 1)) / 2)
  assert.equal(one('select count(*) from checksums'), FILES)
  assert.equal(one('select count(sort_name) from assets'), FILES + OTHERS)
  // The same tables as those of a new database.
  await (await openSqliteDatabase({ file: other })).close()
  const fresh = new DatabaseSync(other)
  cleanUp(t, () => fresh.close())
  const schemaOf = (opened: DatabaseSync) =>
    opened
      .prepare(
        `select type, name, sql from sqlite_schema where name <> 'migrations' order by type, name`,
      )
      .all()
  assert.deepEqual(schemaOf(watching), schemaOf(fresh))
})

test('an upgrade reports each migration, and the creation of a database reports nothing', async (t) => {
  const folder = await aFolder(t)
  const file = join(folder, 'a.db')
  await createReleased(file)
  const reports: object[] = []
  const report = (message: string, facts: object) => reports.push({ message, ...facts })
  await (await openSqliteDatabase({ file }, { report })).close()
  const names = (await readdir(MIGRATIONS)).sort().slice(RELEASED)
  const expected = names.map((migration, index) => ({
    message: 'upgrading the database',
    migration,
    step: index + 1,
    of: names.length,
  }))
  assert.deepEqual(reports, expected)
  await (await openSqliteDatabase({ file }, { report })).close()
  await (await openSqliteDatabase({ file: join(folder, 'b.db') }, { report })).close()
  assert.equal(reports.length, expected.length)
})
