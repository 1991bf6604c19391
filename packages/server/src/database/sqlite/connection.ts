import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { EngineUnavailable } from '../../errors.ts'
import { createFairQueue } from '../../iterables/fair-queue.ts'
import { createPrivateFile } from '../../private-files.ts'
import { type Connection, type ConnectionListeners, wrapConnection } from './statement.ts'

/** How long opening the file waits for another process that writes. Opening blocks the event loop. */
const OPEN_TIMEOUT_MS = 5_000

export function connect(file: string, { readOnly = false } = {}): DatabaseSync {
  if (!readOnly) createPrivateFile(file)
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

export interface SnapshotReader {
  /**
   * Runs a long read on a second connection. All its statements see the same state of the database, although it lets the
   * event loop continue between them. Runs one read at a time, account by account. Rejects with `EngineUnavailable`
   * when too many reads of the account wait.
   */
  read<Result>(account: string, work: (connection: Connection) => Promise<Result>): Promise<Result>
  close(): void
}

/** How many long reads of one account may wait. */
const MAX_WAITING = 100
/** The size of the log from which it is emptied between two long reads. SQLite itself tries at 4 MB. */
const MAX_LOG_BYTES = 8_000_000

/** Opens the second connection for the first read. */
export function openSnapshotReader(
  { file, database: writer }: { file: string; database: DatabaseSync },
  listeners: Pick<ConnectionListeners, 'onStatement'> = {},
): SnapshotReader {
  const waiting = createFairQueue<() => void>()
  let isRunning = false
  let second: ReturnType<typeof openSecond> | undefined

  function openSecond() {
    const database = connect(file, { readOnly: true })
    disableBusyTimeout(database)
    return { database, connection: wrapConnection(database, listeners) }
  }

  async function inSnapshot<Result>(
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    second ??= openSecond()
    const { database, connection } = second
    database.exec('begin')
    try {
      return await work(connection)
    } finally {
      // The database may have been closed in the meantime.
      if (database.isOpen) database.exec('rollback')
    }
  }

  /**
   * SQLite starts its log anew only while nobody reads from it. Reads that follow each other at once never let it, and
   * the log would grow with every write.
   */
  function emptyLongLog(): void {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    if (log === undefined || log.size < MAX_LOG_BYTES || !writer.isOpen) return
    try {
      writer.exec('pragma wal_checkpoint(truncate)')
    } catch {
      // The disk may be full, or another process may use the log. The next read tries it again.
    }
  }

  function startNext(): void {
    isRunning = waiting.size > 0
    if (isRunning) emptyLongLog()
    waiting.takeNext()?.()
  }

  return {
    async read(account, work) {
      if (isRunning) {
        if (waiting.count(account) >= MAX_WAITING) throw tooManyWaiting()
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(account, resolve)
        await promise
      }
      isRunning = true
      try {
        return await inSnapshot(work)
      } finally {
        startNext()
      }
    },

    close: () => second?.database.close(),
  }
}

function tooManyWaiting(): EngineUnavailable {
  return new EngineUnavailable(
    'database',
    new Error(`${MAX_WAITING} long lists of one account already wait`),
  )
}
