import { createHash } from 'node:crypto'
import { constants, copyFile, glob, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from '@stowage/server/src/database/database'
import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'
import { MIGRATIONS } from '@stowage/server/src/database/sqlite/migrations'
import { openSqliteDatabase } from '@stowage/server/src/database/sqlite/sqlite-database'
import {
  EmbeddedPostgres,
  startPostgres,
  WITHOUT_DURABILITY,
} from '@stowage/testing/engines/postgres'
import postgres from 'postgres'
import { CACHE_FOLDER } from '../processes/peers.ts'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import { products, recordsAt } from './records.ts'

const RECORDS = fileURLToPath(new URL('./records.ts', import.meta.url))

/** Large, as each transaction rewrites pages of every index. */
const SQLITE_BATCH = 100_000

/** Copies a database with `count` assets into a data folder. It is created once and cached. */
export async function copyFilled(folder: string, count: number): Promise<string> {
  const filled = join(CACHE_FOLDER, 'bench-assets', `${count}-${await fingerprint()}.db`)
  if (!(await exists(filled))) await create(filled, count)
  const file = join(folder, 'stowage.db')
  await copyFile(filled, file, constants.COPYFILE_FICLONE)
  return file
}

async function create(filled: string, count: number): Promise<void> {
  const unfinished = `${filled}.unfinished`
  await mkdir(join(CACHE_FOLDER, 'bench-assets'), { recursive: true })
  for (const end of ['', '-wal', '-shm']) await rm(unfinished + end, { force: true })
  const database = await openSqliteDatabase({ file: unfinished })
  await fill(database, { count, batch: SQLITE_BATCH })
  await database.close()
  await rename(unfinished, filled)
}

/** Changes when the schema or the rows change, or one of these other files. */
export async function fingerprint(others: string[] = []): Promise<string> {
  const hash = createHash('sha256')
  const migrations = await Array.fromAsync(glob(join(MIGRATIONS, '*.sql')))
  for (const file of [...migrations.sort(), RECORDS, ...others]) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}

export async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined
}

const POSTGRES_BATCH = 3000

/**
 * Starts PostgreSQL. `database` creates a database with `count` assets and returns its URL. `copy` copies a database
 * that nobody uses.
 */
export async function startFilledPostgres(
  context: WorkloadContext,
  settings: string[] = WITHOUT_DURABILITY,
) {
  const server = await startPostgres(EmbeddedPostgres, settings)
  context.defer(server.close)
  return {
    async database(count: number): Promise<string> {
      const name = `assets_${count}`
      await administer(server.url, (sql) => sql.unsafe(`create database ${name}`))
      const url = new URL(server.url)
      url.pathname = `/${name}`
      const options = {
        url: url.href,
        poolSize: 4,
        statementTimeoutMs: 60_000,
        tls: 'off',
      } as const
      const database = await openPostgresDatabase(options)
      await withoutIndexes(url.href, ['assets', 'asset_products'], () =>
        fill(database, { count, batch: POSTGRES_BATCH }),
      )
      await database.close()
      return url.href
    },
    async copy(source: string, name: string): Promise<string> {
      const url = new URL(source)
      const template = url.pathname.slice(1)
      url.pathname = `/${name}`
      await administer(server.url, (sql) =>
        sql.unsafe(`create database ${name} template ${template}`),
      )
      return url.href
    },
  }
}

/** Creates the indexes of the tables after the work: this is several times as fast as updating them with each row. */
export async function withoutIndexes(
  url: string,
  tables: string[],
  work: (sql: postgres.Sql) => Promise<void>,
): Promise<void> {
  await administer(url, async (sql) => {
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename in ${sql(tables)}
        and indexname not in (select conname from pg_constraint)`
    for (const { name } of indexes) await sql`drop index ${sql(name)}`
    await work(sql)
    await sql`set maintenance_work_mem = '512MB'`
    for (const { name, definition } of indexes) {
      progress(`indexing: ${name}`)
      await sql.unsafe(definition)
    }
    // As autovacuum does some time after many inserts.
    await sql.unsafe('vacuum analyze')
  })
}

export async function administer(url: string, work: (sql: postgres.Sql) => Promise<unknown>) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await work(sql)
  await sql.end()
}

/**
 * Inserts `count` ready assets into an empty database, `batch` in each transaction, for the default account
 * of the service. Some of them have older versions. Adds further assets to the trash.
 */
async function fill(
  database: Database,
  { count, batch }: { count: number; batch: number },
): Promise<void> {
  const { id } = await database.ensureAccount({
    id: '00000000-0000-7000-8000-00000000beef',
    name: 'default',
    planName: 'default',
    planStorage: 1e15,
    createdAt: new Date(),
  })
  const data = database.of(id)
  await data.putProducts(products())
  const trashedAt = new Date()
  for (let start = 0; start < count; start += batch) {
    const length = Math.min(batch, count - start)
    const indexes = Array.from({ length }, (_, index) => start + index)
    const assets = indexes.flatMap((index) => recordsAt(id, index, { count, trashedAt }))
    await data.importRecords({ keys: [], assets })
    progress(`filling: ${start + length} of ${count} assets`)
  }
}

/**
 * The settings of a service whose database `fill` created. The storage has no files, so a service that computes
 * checksums would mark all assets as damaged. The database may have been created long ago, so the trash is kept for
 * a year.
 */
export const CATALOG_SETTINGS = { STOWAGE_CHECKSUMS: 'off', STOWAGE_TRASH_FOR: '365d' }
