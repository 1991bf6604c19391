import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'
import postgres from 'postgres'
import { createDatabase } from './a-database.ts'

/**
 * Opens one PostgreSQL database for many tests, which run one after the other: creating and opening one for
 * each test takes longer than most tests. `empty` resets it.
 */
export async function openReusedDatabase(server: string) {
  const { url, drop } = await createDatabase(server)
  const options = { poolSize: 8, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ ...options, url })
  const admin = postgres(url, { max: 1 })
  return {
    database,
    /** Deletes all rows except those that the migrations created. */
    empty: () =>
      admin.begin(async (sql) => {
        // Without triggers, the order of the tables does not matter.
        await sql`set local session_replication_role = replica`
        const tables = await sql`select tablename as name from pg_tables
          where schemaname = 'public' and tablename not in ('migrations', 'identity')`
        for (const { name } of tables) await sql`delete from ${sql(name)}`
        await sql`update identity set storage_id = null`
      }),
    async close() {
      await admin.end()
      await database.close()
      await drop()
    },
  }
}
