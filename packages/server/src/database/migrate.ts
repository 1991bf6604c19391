import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

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

/**
 * Brings the database forward. A migration that was edited after it ran, or one that this version
 * does not know, stops the start: going on could lose data.
 */
export async function migrate(target: MigrationTarget, directory: string): Promise<void> {
  const migrations = await readMigrations(directory)
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const applied = await target.listApplied()
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
  for (const migration of migrations) {
    if (!done.has(migration.name)) await target.apply(migration)
  }
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
