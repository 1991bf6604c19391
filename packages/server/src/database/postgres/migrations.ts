import { fileURLToPath } from 'node:url'
import type { Migration, MigrationTarget } from '../migrate.ts'
import { migrate } from '../migrate.ts'
import type { Sql } from './connection.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/postgres', import.meta.url))

/** Any number, as long as it is always the same: who holds it may migrate. */
const LOCK = 7_869_167_103

/** Under a lock: of instances that start at once, one migrates and the others find it done. */
export async function migrateUnderLock(sql: Sql): Promise<void> {
  const connection = await sql.reserve()
  try {
    await connection`set statement_timeout = 0`
    await connection`select pg_advisory_lock(${LOCK})`
    try {
      await connection`
        create table if not exists migrations (
          name text primary key, checksum text not null, applied_at timestamptz not null
        )`
      await migrate(migrationTarget(connection), MIGRATIONS)
    } finally {
      await connection`select pg_advisory_unlock(${LOCK})`
      await connection`reset statement_timeout`
    }
  } finally {
    connection.release()
  }
}

function migrationTarget(connection: Awaited<ReturnType<Sql['reserve']>>): MigrationTarget {
  return {
    async listApplied() {
      const rows = await connection<{ name: string; checksum: string }[]>`
        select name, checksum from migrations order by name`
      return [...rows]
    },
    async apply({ name, sql, checksum }: Migration) {
      await connection`begin`
      try {
        await connection.unsafe(sql).simple()
        await connection`
          insert into migrations (name, checksum, applied_at) values (${name}, ${checksum}, now())`
        await connection`commit`
      } catch (error) {
        await connection`rollback`
        throw error
      }
    },
  }
}
