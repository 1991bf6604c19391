import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import {
  listMigrations,
  type MigrationTarget,
  migrate,
  pendingMigrations,
  type ReportUpgrade,
  requireMigrated,
} from '../migrate.ts'
import { connect, wrapConnection } from './connection.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/sqlite', import.meta.url))

export async function migrateFile(
  connection: DatabaseSync,
  report: ReportUpgrade,
  migrations: string,
): Promise<void> {
  connection.exec(`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at text not null
    ) strict
  `)
  await migrate(migrationTarget(connection), migrations, report)
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

/** The migrations that have not run; all if the file does not exist. Does not change the file. */
export async function listPending(options: { file: string }): Promise<string[]> {
  if (!(await isCreated(options))) return listMigrations(MIGRATIONS)
  const connection = connect(options.file, { readOnly: true })
  try {
    const pending = await pendingMigrations(listApplied(connection), MIGRATIONS)
    return pending.map(({ name }) => name)
  } finally {
    connection.close()
  }
}

/** Throws `MigrationsPending` if a migration has not run, or the file does not exist. Does not change the file. */
export async function requireMigratedFile(file: string, migrations: string): Promise<void> {
  if (!(await isCreated({ file }))) return requireMigrated([], migrations)
  const connection = connect(file, { readOnly: true })
  try {
    await requireMigrated(listApplied(connection), migrations)
  } finally {
    connection.close()
  }
}
