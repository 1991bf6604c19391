import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../domain/errors.ts'
import { createFairQueue } from '../../iterables/fair-queue.ts'
import { createPrivateFile } from '../../process/data-folder.ts'
import type { Statement as SharedStatement, Values } from '../shared/dialect.ts'
import type { Notice } from '../shared/event-listeners.ts'
import type { Value } from '../shared/rows.ts'

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

type Parameters = Record<string, SQLInputValue>
type Columns = SQLOutputValue[]

/** A prepared statement. The type of its rows is not checked. */
export interface Statement<Row> {
  get(parameters?: Parameters): Row | undefined
  all(parameters?: Parameters): Row[]
  /** Returns the number of changed rows. */
  run(parameters?: Parameters): number
}

export interface Connection {
  /**
   * Prepares each SQL text once, when it is first used: preparing all of them would take most of the time
   * that opening a database takes. Returns the same statement for the same text.
   */
  prepare<Row = never>(sql: string): Statement<Row>
  /** Runs a statement that both engines share. */
  execute<Given extends Values, Result>(
    statement: SharedStatement<Given, Result>,
    values: Given,
  ): Result
  /**
   * The callback is synchronous on purpose: during an await, other requests would run inside the
   * transaction. A nested call joins the outer transaction.
   */
  transaction<Result>(work: () => Result): Result
  /** Call it in the transaction that makes the change. The notice is announced after its commit. */
  addNotice(notice: Notice): void
  /** Announces the notices. `transaction` calls it. Call it after a commit that does not use `transaction`. */
  announceNotices(): void
}

/** Converts values that the engines share to those that SQLite stores: numbers for times and flags, and texts for lists. */
export function encode(values: Record<string, Value>): Parameters {
  const encoded: Parameters = {}
  for (const name in values) encoded[name] = encodeValue(values[name] ?? null)
  return encoded
}

function encodeValue(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  return value instanceof Date ? value.getTime() : JSON.stringify(value)
}

export interface ConnectionListeners {
  /** Called for every statement that runs. */
  onStatement?: ((sql: string) => void) | undefined
  /** Called after a commit with the notices of the transaction. */
  announce?: ((notices: Iterable<Notice>) => void) | undefined
}

export function wrapConnection(
  database: DatabaseSync,
  { onStatement = () => {}, announce = () => {} }: ConnectionListeners = {},
): Connection {
  let notices = new Set<Notice>()
  const prepared = new Map<string, Statement<unknown>>()
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')

  function compile(sql: string) {
    const { text, names } = numberParameters(sql)
    const statement = database.prepare(text)
    // The row objects of node:sqlite are slow to create and to read.
    statement.setReturnArrays(true)
    const toRow = createRowMapper(statement.columns().map(({ name }) => name))
    return { statement, toValues: createValueMapper(names), toRow }
  }

  function prepare(sql: string): Statement<unknown> {
    let compiled: ReturnType<typeof compile> | undefined
    const use = () => {
      compiled ??= compile(sql)
      return compiled
    }
    const reported = <Result>(result: Result): Result => {
      onStatement(sql)
      return result
    }
    return {
      get(parameters = {}) {
        const { statement, toValues, toRow } = use()
        const values = reported(statement.get(...toValues(parameters))) as Columns | undefined
        return values && toRow(values)
      },
      all(parameters = {}) {
        const { statement, toValues, toRow } = use()
        return (reported(statement.all(...toValues(parameters))) as unknown as Columns[]).map(toRow)
      },
      run(parameters = {}) {
        const { statement, toValues } = use()
        return reported(Number(statement.run(...toValues(parameters)).changes))
      },
    }
  }

  function announceNotices(): void {
    if (notices.size === 0) return
    announce(notices)
    notices = new Set()
  }

  function prepareOnce<Row>(sql: string): Statement<Row> {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = prepare(sql)
      prepared.set(sql, statement)
    }
    return statement as Statement<Row>
  }

  return {
    addNotice: (notice) => void notices.add(notice),
    announceNotices,
    prepare: prepareOnce,
    execute({ text, names, toResult }, values) {
      const parameters = encode(values)
      if (names.includes('clock')) parameters.clock = Date.now()
      return toResult(prepareOnce<never>(text).all(parameters))
    },
    transaction(work) {
      if (database.isTransaction) return work()
      begin.run()
      try {
        const result = work()
        commit.run()
        announceNotices()
        return result
      } catch (error) {
        if (database.isTransaction) rollback.run()
        throw error
      }
    },
  }
}

/** A text, a comment, or a parameter such as `:account`. */
const TOKENS = /'[^']*'|"[^"]*"|--.*|:([a-z_]\w*)/gi

/**
 * Replaces the names of parameters by numbers. node:sqlite takes twice as long to bind values by their names, which is a
 * third of the time of an insert.
 */
function numberParameters(sql: string): { text: string; names: string[] } {
  const names: string[] = []
  const text = sql.replaceAll(TOKENS, (token, name?: string) => {
    if (name === undefined) return token
    if (!names.includes(name)) names.push(name)
    return `?${names.indexOf(name) + 1}`
  })
  return { text, names }
}

/** Compiles an array literal, for the same reason as `createRowMapper`. A missing value is refused by node:sqlite. */
function createValueMapper(names: string[]): (parameters: Parameters) => SQLInputValue[] {
  const values = names.map((name) => `parameters.${name}`)
  return new Function('parameters', `return [${values.join(', ')}]`) as ReturnType<
    typeof createValueMapper
  >
}

/**
 * Compiles an object literal for each statement. Filling rows property by property takes several times
 * as long, because V8 does not know their shape.
 */
function createRowMapper(names: string[]): (values: Columns) => unknown {
  const members = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as (values: Columns) => unknown
}

/** The longest time that a call waits for the lock of another process. */
export const BUSY_LIMIT_MS = 10_000
export const BUSY_PAUSE_MS = 20

const BUSY = 5

/** SQLite's primary result codes for temporary failures, as opposed to wrong statements. */
const OUTAGES = new Set([
  BUSY,
  6, // locked
  8, // read-only
  10, // I/O error
  13, // disk full
  14, // can't open
])

/** https://www.sqlite.org/rescode.html: the low byte of an extended result code is the primary one. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/** Whether another process holds the lock. The statement had no effect. */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === BUSY
}

/** Turns an outage into `EngineUnavailable`. Returns any other error unchanged. */
export function toOutage(error: unknown): unknown {
  const isOutage = OUTAGES.has(resultCodeOf(error) ?? 0)
  return isOutage ? new EngineUnavailable('database', error) : error
}

/**
 * Runs the work, and retries it while another process holds the lock, up to the limit. SQLite's own
 * busy timeout would block the event loop.
 */
export async function retryWhileBusy<Result>(work: () => Result): Promise<Awaited<Result>> {
  const since = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - since > BUSY_LIMIT_MS) throw error
      await pause(BUSY_PAUSE_MS)
    }
  }
}
