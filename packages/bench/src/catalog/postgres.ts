import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'
import { EmbeddedPostgres } from '@stowage/testing/engines/embedded-postgres'
import { startPostgres, WITHOUT_DURABILITY } from '@stowage/testing/engines/postgres'
import postgres from 'postgres'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import { fill } from './fill.ts'

const BATCH = 3000

/** Starts PostgreSQL. `database` creates a database with `count` assets and returns its URL. */
export async function startFilledPostgres(context: WorkloadContext) {
  const server = await startPostgres(EmbeddedPostgres, WITHOUT_DURABILITY)
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
      await withoutIndexes(url.href, () => fill(database, { count, batch: BATCH }))
      await database.close()
      return url.href
    },
  }
}

/** Creates the indexes after the work: this is several times as fast as updating them with each row. */
export async function withoutIndexes(url: string, work: () => Promise<void>): Promise<void> {
  await administer(url, async (sql) => {
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename in ('assets', 'asset_products')
        and indexname not in (select conname from pg_constraint)`
    for (const { name } of indexes) await sql`drop index ${sql(name)}`
    await work()
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
