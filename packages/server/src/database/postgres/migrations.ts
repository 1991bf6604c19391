import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type Migration,
  type MigrationTarget,
  migrate,
  type OpenOptions,
  pendingMigrations,
  type ReportUpgrade,
  requireMigrated,
} from '../migrate.ts'
import {
  inTransaction,
  isCollision,
  isLockTimeout,
  openConnection,
  type PostgresOptions,
  requireServer,
  type Sql,
} from './connection.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/postgres', import.meta.url))

/** An arbitrary constant. The instance that holds this lock migrates. */
export const LOCK = 7_869_167_103
/** An instance that waits for the lock reports it only after this time: if no migration runs, the wait is short. */
const REPORT_AFTER_MS = 1_000

/** Whether a service has created its tables. Changes nothing. */
export async function isCreated(options: PostgresOptions): Promise<boolean> {
  const connection = openConnection(options)
  try {
    await requireServer(connection, options)
    const [table] = await connection.sql`select to_regclass('migrations') as found`
    return table?.found !== null
  } finally {
    await connection.close()
  }
}

/** The migrations that have not run. Changes nothing. */
export async function listPending(options: PostgresOptions): Promise<string[]> {
  const connection = openConnection(options)
  try {
    await requireServer(connection, options)
    const applied = (await listApplied(connection.sql)) ?? []
    return (await pendingMigrations(applied, MIGRATIONS)).map(({ name }) => name)
  } finally {
    await connection.close()
  }
}

/** Undefined when no migration has ever run. */
export async function listApplied(
  sql: Sql,
): Promise<{ name: string; checksum: string }[] | undefined> {
  const [table] = await sql`select to_regclass('migrations') as found`
  if (table?.found === null) return undefined
  return sql<{ name: string; checksum: string }[]>`
    select name, checksum from migrations order by name`
}

/**
 * Of instances that start at the same time, one migrates while the others wait. Instances of older versions work
 * meanwhile: no step makes their statements wait for longer than `LOCK_TIMEOUT_MS`. A step that does not get its locks
 * within that time is repeated, up to a limit.
 */
export async function migrateUnderLock(
  sql: Sql,
  { migrate: policy = 'auto', report = () => {}, migrations = MIGRATIONS }: OpenOptions,
): Promise<void> {
  if (policy === 'off') return requireMigrated((await listApplied(sql)) ?? [], migrations)
  await sql`set statement_timeout = 0`
  const reported = new Set<unknown>()
  const reportOnce: ReportUpgrade = (message, facts) => {
    const key = facts.migration ?? message
    if (!reported.has(key)) report(message, facts)
    reported.add(key)
  }
  for (let attempt = 1; ; attempt += 1) {
    await takeLock(sql, reportOnce)
    try {
      await setLockTimeout(sql, LOCK_TIMEOUT_MS)
      await sql`
        create table if not exists migrations (
          name text primary key, checksum text not null, applied_at timestamptz not null
        )`
      return await migrate(migrationTarget(sql), migrations, reportOnce)
    } catch (error) {
      if (!isLockTimeout(error) && !isCollision(error)) throw error
      if (attempt === MAX_ATTEMPTS) {
        throw new Error(
          'the database could not be upgraded, because other transactions have locked its tables for minutes: end them (pg_stat_activity lists them), then start again',
          { cause: error },
        )
      }
      reportOnce('waiting for running transactions, to upgrade the database', {})
      // An instance of 0.2.0 that starts waits for this lock in a statement, which an index would wait for in turn.
      await sql`select pg_advisory_unlock(${LOCK})`
      await pause(Math.min(attempt * FIRST_PAUSE_MS, MAX_PAUSE_MS))
    }
  }
}

/** Shorter than PostgreSQL's `deadlock_timeout`, so that of a deadlock, the migration is what ends. */
export const LOCK_TIMEOUT_MS = 500
/** An index waits for all transactions that are older than it, but nothing waits for the index. */
const INDEX_TIMEOUT_MS = 600_000
/** Together with the pauses, about five minutes. */
const MAX_ATTEMPTS = 60
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 5_000

async function setLockTimeout(sql: Sql, milliseconds: number): Promise<void> {
  await sql.unsafe(`set lock_timeout = ${milliseconds}`)
}

/**
 * The lock is held until the connection is closed. It is not waited for in a statement, because indexes that the holder
 * creates wait for all running statements.
 */
async function takeLock(sql: Sql, report: ReportUpgrade): Promise<void> {
  const begin = performance.now()
  for (;;) {
    const [row] = await sql`select pg_try_advisory_lock(${LOCK}) as taken`
    if (row?.taken) return
    if (performance.now() - begin > REPORT_AFTER_MS) {
      report('waiting for another instance, which is upgrading the database', {})
    }
    await pause(LOCK_POLL_MS)
  }
}

const LOCK_POLL_MS = 200

function migrationTarget(sql: Sql): MigrationTarget {
  return {
    listApplied: async () => (await listApplied(sql)) ?? [],
    async apply(migration: Migration, { isNew }) {
      const { indexes, rest } = splitMigration(migration.sql)
      // The tables of a new database are empty, and nobody uses them.
      const inOne = isNew ? migration.sql.replace(CONCURRENTLY, '$1 index') : rest
      if (!isNew) for (const index of indexes) await createIndex(sql, index)
      await inTransaction(sql, async () => {
        await sql.unsafe(inOne).simple()
        await sql`
          insert into migrations (name, checksum, applied_at)
          values (${migration.name}, ${migration.checksum}, now())`
      })
    },
  }
}

const CONCURRENTLY = /^(create|create unique) index concurrently\b/gm
const INDEX = /^create (?:unique )?index concurrently (\w+)[^;]*;\n?/gm

interface ConcurrentIndex {
  name: string
  statement: string
}

/**
 * Indexes that are created concurrently are statements of their own, before the transaction with the rest of the
 * migration. They may only use columns of earlier migrations.
 */
export function splitMigration(sql: string): { indexes: ConcurrentIndex[]; rest: string } {
  const indexes = [...sql.matchAll(INDEX)].map(([statement, name = '']) => ({ name, statement }))
  return { indexes, rest: sql.replace(INDEX, '') }
}

/** A start that was killed may have created the index, or have left one that is not valid. */
async function createIndex(sql: Sql, { name, statement }: ConcurrentIndex): Promise<void> {
  const [found] = await sql`
    select indisvalid as is_valid from pg_index where indexrelid = to_regclass(${name})`
  if (found?.is_valid) return
  await setLockTimeout(sql, INDEX_TIMEOUT_MS)
  if (found !== undefined) await sql.unsafe(`drop index concurrently ${name}`)
  await sql.unsafe(statement).simple()
  await setLockTimeout(sql, LOCK_TIMEOUT_MS)
}
