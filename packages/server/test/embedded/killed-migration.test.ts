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
/** The migrations of version 0.1.0. */
const RELEASED = 4
const FILES = 5_000

/** A database as version 0.1.0 created it, with files. */
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
      'application/zip', n, n, n, 100000000, n from numbers`)
  database.close()
}

function countApplied(database: DatabaseSync): number {
  return Number(database.prepare('select count(*) as n from migrations').get()?.n)
}

test('migrations that are killed at any point continue at the next start, and lose nothing', async (t) => {
  const folder = await aFolder(t)
  const [file, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
  await createReleased(file)
  const watching = new DatabaseSync(file)
  cleanUp(t, () => watching.close())
  const total = (await readdir(MIGRATIONS)).length
  for (const target of [RELEASED + 1, total - 3, total - 1]) {
    const child = spawn(process.execPath, [OPEN, file], { stdio: 'inherit' })
    const exited = once(child, 'exit')
    await until(`${target} migrations have run`, () => countApplied(watching) >= target)
    child.kill('SIGKILL')
    await exited
  }
  const database = await openSqliteDatabase({ file })
  await database.close()
  assert.equal(countApplied(watching), total)
  const one = (sql: string) => Object.values(watching.prepare(sql).get() ?? {})[0]
  assert.equal(one('pragma integrity_check'), 'ok')
  assert.equal(one('select count(*) from assets'), FILES)
  // One row for each object, neither missing nor twice.
  assert.equal(one(`select count(*) from checksums where queue = 'backlog'`), FILES)
  assert.equal(one('select sum(bytes) from checksums'), one('select sum(bytes) from assets'))
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
  await (await openSqliteDatabase({ file }, report)).close()
  const names = (await readdir(MIGRATIONS)).sort().slice(RELEASED)
  const expected = names.map((migration, index) => ({
    message: 'upgrading the database',
    migration,
    step: index + 1,
    of: names.length,
  }))
  assert.deepEqual(reports, expected)
  await (await openSqliteDatabase({ file }, report)).close()
  await (await openSqliteDatabase({ file: join(folder, 'b.db') }, report)).close()
  assert.equal(reports.length, expected.length)
})
