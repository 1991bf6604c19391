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

/** Of instances that start at the same time, one migrates while the others wait. */
export async function migrateUnderLock(
  sql: Sql,
  { migrate: policy = 'auto', report = () => {}, migrations = MIGRATIONS }: OpenOptions,
): Promise<void> {
  if (policy === 'off') return requireMigrated((await listApplied(sql)) ?? [], migrations)
  await sql`set statement_timeout = 0`
  await takeLock(sql, report)
  await sql`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null
    )`
  await migrate(migrationTarget(sql), migrations, report)
}

/** The lock is held until the connection is closed. */
async function takeLock(sql: Sql, report: ReportUpgrade): Promise<void> {
  const message = 'waiting for another instance, which is upgrading the database'
  const timer = setTimeout(() => report(message, {}), REPORT_AFTER_MS)
  try {
    await sql`select pg_advisory_lock(${LOCK})`
  } finally {
    clearTimeout(timer)
  }
}

function migrationTarget(sql: Sql): MigrationTarget {
  return {
    listApplied: async () => (await listApplied(sql)) ?? [],
    apply: (migration: Migration) =>
      inTransaction(sql, async () => {
        await sql.unsafe(migration.sql).simple()
        await sql`
          insert into migrations (name, checksum, applied_at)
          values (${migration.name}, ${migration.checksum}, now())`
      }),
  }
}
