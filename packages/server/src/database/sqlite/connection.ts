import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { EngineUnavailable } from '../../errors.ts'
import type { MigrationTarget } from '../migrate.ts'
import { wrapConnection } from './statement.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/sqlite', import.meta.url))

/** How long opening the file waits for another process that is writing; it blocks meanwhile. */
const OPEN_TIMEOUT_MS = 5_000

export function connect(file: string, { readOnly = false } = {}): DatabaseSync {
  const connection = new DatabaseSync(file, {
    timeout: OPEN_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    readOnly,
  })
  if (readOnly) return connection
  // FULL syncs the log at every commit: what was answered survives a power cut.
  connection.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma temp_store = memory;
    pragma cache_size = -32000;
  `)
  return connection
}

/** From here on statements fail at once while another process is writing: see `outages.ts`. */
export function stopWaiting(connection: DatabaseSync): void {
  connection.exec('pragma busy_timeout = 0')
}

/** SQLite's primary result codes that say "not now" rather than "wrong statement". */
const OUTAGES = new Set([
  5, // busy
  6, // locked
  8, // read-only
  10, // I/O error
  13, // disk full
  14, // can't open
])

export function toOutage(error: unknown): unknown {
  const isOutage =
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    OUTAGES.has(error.errcode & 0xff)
  return isOutage ? new EngineUnavailable('database', error) : error
}

export function migrationTarget(connection: DatabaseSync): MigrationTarget {
  connection.exec(`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at text not null
    ) strict
  `)
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
