import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Finding } from '../domain/finding.ts'

export interface Migration {
  name: string
  sql: string
  checksum: string
}

/** The engine's side of running migrations. */
export interface MigrationTarget {
  listApplied(): Promise<{ name: string; checksum: string }[]>
  /** Runs the migration and records it, in one transaction. */
  apply(migration: Migration): Promise<void>
}

/** Reports the progress of an upgrade of the database, because the upgrade may take minutes. */
export type ReportUpgrade = (message: string, facts: Record<string, string | number>) => void

/** Runs the pending migrations. Creating a new database is not reported. */
export async function migrate(
  target: MigrationTarget,
  directory: string,
  report: ReportUpgrade,
): Promise<void> {
  const applied = await target.listApplied()
  const pending = await pendingMigrations(applied, directory)
  for (const [index, migration] of pending.entries()) {
    if (applied.length > 0) {
      const facts = { migration: migration.name, step: index + 1, of: pending.length }
      report('upgrading the database', facts)
      // The log is written before the migration, which may block the event loop.
      await nextTurn()
    }
    await target.apply(migration)
  }
}

/**
 * Returns the migrations that have not run yet. Throws when a migration was edited after it ran, or when
 * the database has one that this version does not know: continuing could lose data.
 */
export async function pendingMigrations(
  applied: { name: string; checksum: string }[],
  directory: string,
): Promise<Migration[]> {
  const migrations = await readMigrations(directory)
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, checksum } of applied) {
    const migration = known.get(name)
    if (migration === undefined) {
      throw new Error(
        `the database was created or upgraded by a newer version of Stowage (it has migration ${name}): start that version instead`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new Error(`migration ${name} was changed after it ran: restore the released file`)
    }
  }
  const done = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !done.has(name))
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** The result of `stowage doctor` for the migrations. */
export async function examineMigrations(
  applied: { name: string; checksum: string }[],
  directory: string,
): Promise<Finding> {
  const check = 'database'
  try {
    const pending = await pendingMigrations(applied, directory)
    if (pending.length === 0) return { check, status: 'ok', message: 'all migrations have run' }
    return {
      check,
      status: 'pending',
      message: `pending migrations: ${pending.length}; the service runs them when it starts`,
      items: pending.map(({ name }) => name),
    }
  } catch (error) {
    return { check, status: 'error', message: error instanceof Error ? error.message : `${error}` }
  }
}
