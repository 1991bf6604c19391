import { fileURLToPath } from 'node:url'
import { pathOfStored, searchPath } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import {
  type Migration,
  type MigrationTarget,
  migrate,
  type OpenOptions,
  pendingMigrations,
  type ReportUpgrade,
  reportFilling,
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

const SORT_NAMES_PER_BATCH = 5000
/** With more rows, it is much faster to create all indexes again than to update them with each row. */
const MANY = 50_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Sets `sort_name` of assets that older versions of Stowage stored without it. Few assets are changed in batches, each
 * in its own transaction. Many assets are changed in one transaction, without indexes. Can be interrupted and repeated.
 */
export async function fillSortNames(
  sql: Sql,
  report: ReportUpgrade,
  { many = MANY } = {},
): Promise<void> {
  const [missing] = await sql<{ count: number }[]>`
    select count(*) from (select from assets where sort_name is null limit ${many}) missing`
  if (missing === undefined || missing.count < many) return fillBatches(sql, report)
  await inTransaction(sql, () =>
    withoutIndexes(sql, { table: 'assets', report }, () => fillBatches(sql, report)),
  )
}

async function fillBatches(sql: Sql, report: ReportUpgrade): Promise<void> {
  const filling = reportFilling(report, 'sort_name')
  let after = FIRST
  for (;;) {
    const rows = await sql<{ id: string; filename: string }[]>`
      select id, filename from assets where sort_name is null and id > ${after}
      order by id limit ${SORT_NAMES_PER_BATCH}`
    const ids = rows.map(({ id }) => id)
    const names = rows.map(({ filename }) => filename)
    // An asset that was renamed in the meantime keeps its new name.
    await sql`
      update assets a set sort_name = filled.sort_name
      from unnest(${ids}::uuid[], ${names}::text[], ${names.map(sortName)}::text[])
        as filled (id, filename, sort_name)
      where a.id = filled.id and a.filename = filled.filename and a.sort_name is null`
    if (rows.length < SORT_NAMES_PER_BATCH) return
    filling.add(rows.length)
    after = ids.at(-1) ?? after
  }
}

const PATHS_PER_BATCH = 1000

/**
 * Sets `search_path` of assets that older versions of Stowage stored without it, in batches. Can be interrupted and
 * repeated.
 */
export async function fillSearchPaths(sql: Sql): Promise<void> {
  for (;;) {
    const rows = await sql<{ id: string; folder: string }[]>`
      select id, folder from assets where folder is not null and search_path is null
      order by id limit ${PATHS_PER_BATCH}`
    const ids = rows.map(({ id }) => id)
    const folders = rows.map(({ folder }) => folder)
    const paths = folders.map((folder) => searchPath(pathOfStored(folder)))
    // An asset that was moved in the meantime keeps its new path.
    await sql`
      update assets a set search_path = filled.search_path
      from unnest(${ids}::uuid[], ${folders}::text[], ${paths}::text[])
        as filled (id, folder, search_path)
      where a.id = filled.id and a.folder = filled.folder and a.search_path is null`
    if (rows.length < PATHS_PER_BATCH) return
  }
}

const SKUS_PER_BATCH = 500

/**
 * Folds the SKUs of products that were stored before SKUs were searchable, one batch per statement. Can be
 * interrupted and repeated.
 */
export async function fillSearchSkus(sql: Sql): Promise<void> {
  for (;;) {
    const rows = await sql<{ id: string; sku: string }[]>`
      select id, sku from products where search_sku is null order by id limit ${SKUS_PER_BATCH}`
    const ids = rows.map(({ id }) => id)
    const skus = rows.map(({ sku }) => sku)
    // A product that was changed in the meantime keeps its new SKU.
    await sql`
      update products p set search_sku = filled.search_sku
      from unnest(${ids}::uuid[], ${skus}::text[], ${skus.map(foldText)}::text[])
        as filled (id, sku, search_sku)
      where p.id = filled.id and p.sku = filled.sku and p.search_sku is null`
    if (rows.length < SKUS_PER_BATCH) return
  }
}

/**
 * Drops the indexes of a table, except for those of constraints, runs work that changes most of its rows, and then
 * creates the indexes again. It must run in a transaction, so that the indexes still exist after an interruption.
 */
export async function withoutIndexes(
  sql: Sql,
  { table, report }: { table: string; report: ReportUpgrade },
  work: () => Promise<void>,
): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = ${table}::regclass
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by 1`
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  await work()
  await sql`set local maintenance_work_mem = '128MB'`
  for (const { name, definition } of indexes) {
    report('upgrading the database', { index: name })
    await sql.unsafe(definition)
  }
}
