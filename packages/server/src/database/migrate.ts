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
  /**
   * Runs the migration and records it, in one transaction. PostgreSQL creates large indexes before that transaction. `isNew`:
   * the database is being created.
   */
  apply(migration: Migration, options: { isNew: boolean }): Promise<void>
}

/** Reports the progress of an upgrade of the database, because the upgrade may take minutes. */
export type ReportUpgrade = (message: string, facts: Record<string, string | number>) => void

/** Whether opening a database creates or migrates it. `off`: no, it refuses a database with pending migrations. */
export type MigrationPolicy = 'auto' | 'off'

export interface OpenOptions {
  /** Default: `auto`. */
  migrate?: MigrationPolicy
  report?: ReportUpgrade
  /** The folder of the migrations. Tests add migrations, as a newer version has them. Default: those of this version. */
  migrations?: string
}

/** The database is not that of this version: it is empty, or older. */
export class MigrationsPending extends Error {
  override readonly name = 'MigrationsPending'

  constructor(count: number, { isEmpty }: { isEmpty: boolean }) {
    super(
      isEmpty
        ? 'The database is empty. Create its tables with: stowage migrate'
        : `The database was created by an older version of Stowage (pending migrations: ${count}). To upgrade it, back up the database (on SQLite, stop the service first), and run: stowage migrate. To use it without an upgrade, run the version of Stowage that the service runs`,
    )
  }
}

/** Throws `MigrationsPending` if a migration has not run. */
export async function requireMigrated(
  applied: { name: string; checksum: string }[],
  directory: string,
): Promise<void> {
  const { length } = await pendingMigrations(applied, directory)
  if (length > 0) throw new MigrationsPending(length, { isEmpty: applied.length === 0 })
}

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
    await target.apply(migration, { isNew: applied.length === 0 })
  }
}

/**
 * Returns the migrations that have not run yet. Throws when a migration was edited after it ran, or when the database
 * was created before the first release or has a migration that this version does not know: continuing could lose data.
 */
export async function pendingMigrations(
  applied: { name: string; checksum: string }[],
  directory: string,
): Promise<Migration[]> {
  const migrations = await readMigrations(directory)
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const [baseline] = migrations
  if (applied.length > 0 && applied.every(({ name }) => name !== baseline?.name)) {
    throw new Error(
      'the database was created by a development version of Stowage before 0.2.0, and cannot be upgraded. To keep its files, download them with that version and upload them again. Then use a new data folder (STOWAGE_DATA) or an empty database (STOWAGE_DATABASE)',
    )
  }
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

/** The names of all migrations of this version. */
export async function listMigrations(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = await listMigrations(directory)
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
      message: `pending migrations: ${pending.length}; the service runs them when it starts, unless STOWAGE_MIGRATE is off`,
      items: pending.map(({ name }) => name),
      remedy: 'stowage migrate',
    }
  } catch (error) {
    return { check, status: 'error', message: error instanceof Error ? error.message : `${error}` }
  }
}
