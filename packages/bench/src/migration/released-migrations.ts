import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface ReleasedMigration {
  name: string
  sql: string
  checksum: string
}

/** The number of migrations of version 0.1.0. */
const COUNT = 4
/** How many of them run before the assets are inserted. For speed, the others count and index all assets at once. */
const BEFORE_ASSETS = 2

/** The migrations of the last release: those that run before the assets are inserted, and those after. */
export async function releasedMigrations(
  folder: string,
): Promise<{ before: ReleasedMigration[]; after: ReleasedMigration[] }> {
  const names = (await readdir(folder)).sort().slice(0, COUNT)
  const migrations = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
  return { before: migrations.slice(0, BEFORE_ASSETS), after: migrations.slice(BEFORE_ASSETS) }
}
