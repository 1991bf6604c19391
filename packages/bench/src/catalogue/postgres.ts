import postgres from 'postgres'
import { openPostgresDatabase } from '../../../server/src/database/postgres/postgres-database.ts'
import { startPostgres } from '../../../server/test/support/postgres.ts'
import type { Scene } from '../workload.ts'
import { fill } from './fill.ts'

/** As many as one statement has parameters for. */
const BATCH = 3000

/** A PostgreSQL; `database` makes one in it with so many assets, and tells its address. */
export async function startFilledPostgres(scene: Scene) {
  const server = await startPostgres()
  scene.defer(server.close)
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
      await fill(database, { count, batch: BATCH })
      await database.close()
      // As its own housekeeping does, some time after so many rows came.
      await administer(url.href, (sql) => sql.unsafe('vacuum analyze'))
      return url.href
    },
  }
}

async function administer(url: string, work: (sql: postgres.Sql) => Promise<unknown>) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await work(sql)
  await sql.end()
}
