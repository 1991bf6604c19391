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
  begin,
  openConnection,
  type PostgresOptions,
  requireServer,
  type Sql,
} from './connection.ts'
import { fillSearchPaths } from './search-path.ts'
import { fillSearchSkus } from './search-sku.ts'
import { fillSortNames } from './sort-name.ts'

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
  { migrate: policy = 'auto', report = () => {} }: OpenOptions,
): Promise<void> {
  if (policy !== 'auto') await requireMigrated((await listApplied(sql)) ?? [], MIGRATIONS)
  if (policy === 'never') return
  await sql`set statement_timeout = 0`
  await takeLock(sql, report)
  if (policy === 'auto') await migrateTables(sql, report)
  await fillSearchSkus(sql)
  await fillSortNames(sql, report)
  await fillSearchPaths(sql)
}

async function migrateTables(sql: Sql, report: ReportUpgrade): Promise<void> {
  await sql`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null
    )`
  await migrate(migrationTarget(sql), MIGRATIONS, report)
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

function migrationTarget(connection: Sql): MigrationTarget {
  return {
    listApplied: async () => (await listApplied(connection)) ?? [],
    apply: ({ name, sql, checksum }: Migration) =>
      begin(connection, async (transaction) => {
        await transaction.unsafe(sql).simple()
        await transaction`
          insert into migrations (name, checksum, applied_at) values (${name}, ${checksum}, now())`
      }),
  }
}
