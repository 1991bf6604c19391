import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type MigrationTarget, migrate, pendingMigrations, type ReportUpgrade } from '../migrate.ts'
import { connect } from './connection.ts'
import { wrapConnection } from './statement.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/sqlite', import.meta.url))

export async function migrateFile(connection: DatabaseSync, report: ReportUpgrade): Promise<void> {
  connection.exec(`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at text not null
    ) strict
  `)
  await migrate(migrationTarget(connection), MIGRATIONS, report)
}

function migrationTarget(connection: DatabaseSync): MigrationTarget {
  const record = connection.prepare(
    `insert into migrations (name, checksum, applied_at) values (?, ?, datetime('now'))`,
  )
  return {
    async listApplied() {
      return listApplied(connection)
    },
    async apply({ name, sql, checksum }) {
      wrapConnection(connection).transaction(() => {
        connection.exec(sql)
        record.run(name, checksum)
      })
    },
  }
}

export function listApplied(connection: DatabaseSync): { name: string; checksum: string }[] {
  const rows = connection.prepare('select name, checksum from migrations order by name').all()
  return rows.map((row) => ({ name: String(row.name), checksum: String(row.checksum) }))
}

/** Whether a service has created the database. Does not create or change the file. */
export async function isCreated({ file }: { file: string }): Promise<boolean> {
  if (!existsSync(file)) return false
  const connection = connect(file, { readOnly: true })
  try {
    const table = connection.prepare(`select 1 from sqlite_schema where name = 'migrations'`).get()
    return table !== undefined
  } finally {
    connection.close()
  }
}

/** Whether opening the file would create or migrate it. Does not change the file. */
export async function needsMigration({ file }: { file: string }): Promise<boolean> {
  if (!existsSync(file)) return true
  const connection = connect(file, { readOnly: true })
  try {
    return (await pendingMigrations(listApplied(connection), MIGRATIONS)).length > 0
  } finally {
    connection.close()
  }
}

/** Throws if a migration has not run. */
export async function requireMigrated(connection: DatabaseSync, file: string): Promise<void> {
  const pending = await pendingMigrations(listApplied(connection), MIGRATIONS)
  if (pending.length > 0) {
    throw new Error(
      `${file} was created by an older version: start this version on it once, then stop it`,
    )
  }
}
