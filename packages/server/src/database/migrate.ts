import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '../domain/finding.ts'

export interface Migration {
  name: string
  sql: string
  checksum: string
}

/** What an engine offers so that its migrations can run. */
export interface MigrationTarget {
  listApplied(): Promise<{ name: string; checksum: string }[]>
  /** Runs the migration and records it, in one transaction. */
  apply(migration: Migration): Promise<void>
}

/** Brings the database forward. */
export async function migrate(target: MigrationTarget, directory: string): Promise<void> {
  const pending = await pendingMigrations(await target.listApplied(), directory)
  for (const migration of pending) await target.apply(migration)
}

/**
 * What has not run yet. A migration that was edited after it ran, or one that this version does not
 * know, throws: going on could lose data.
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
        `the database was made by a newer version of Stowage (it has migration ${name}): start that version instead`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new Error(
        `migration ${name} was changed after it ran: restore the file as it was released`,
      )
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

/** What doctor says of it. */
export async function examineMigrations(
  applied: { name: string; checksum: string }[],
  directory: string,
): Promise<Finding> {
  const about = 'database'
  try {
    const pending = await pendingMigrations(applied, directory)
    if (pending.length === 0) return { about, verdict: 'well', says: 'all migrations have run' }
    return {
      about,
      verdict: 'pending',
      says: `${pending.length} migrations have not run yet; they run when the service starts`,
      items: pending.map(({ name }) => name),
    }
  } catch (error) {
    return { about, verdict: 'wrong', says: error instanceof Error ? error.message : `${error}` }
  }
}
