import { DatabaseSync } from 'node:sqlite'

/** How long opening the file waits for another process that writes. Opening blocks the event loop. */
const OPEN_TIMEOUT_MS = 5_000

export function connect(file: string, { readOnly = false } = {}): DatabaseSync {
  const connection = new DatabaseSync(file, {
    timeout: OPEN_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    readOnly,
  })
  if (readOnly) return connection
  // FULL syncs the log on every commit, so that committed data survives a power failure.
  connection.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma temp_store = memory;
    pragma cache_size = -32000;
  `)
  return connection
}

/** Makes statements fail immediately while another process writes; `retryWhileBusy` retries them. */
export function disableBusyTimeout(connection: DatabaseSync): void {
  connection.exec('pragma busy_timeout = 0')
}
