import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pathOfStored, searchPath } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import {
  listMigrations,
  type MigrationTarget,
  migrate,
  pendingMigrations,
  type ReportUpgrade,
  reportFilling,
  requireMigrated,
} from '../migrate.ts'
import { connect, wrapConnection } from './connection.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/sqlite', import.meta.url))

export async function migrateFile(connection: DatabaseSync, report: ReportUpgrade): Promise<void> {
  connection.exec(`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at text not null
    ) strict
  `)
  await migrate(migrationTarget(connection), MIGRATIONS, report)
}

function migrationTarget(connection: DatabaseSync): MigrationTarget {
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

/** Whether a service has created the database. Does not create or change the file. */
export async function isCreated({ file }: { file: string }): Promise<boolean> {
  if (!existsSync(file)) return false
  const connection = connect(file, { readOnly: true })
  try {
    const table = connection.prepare(`select 1 from sqlite_schema where name = 'migrations'`).get()
    return table !== undefined
  } finally {
    connection.close()
  }
}

/** The migrations that have not run; all if the file does not exist. Does not change the file. */
export async function listPending(options: { file: string }): Promise<string[]> {
  if (!(await isCreated(options))) return listMigrations(MIGRATIONS)
  const connection = connect(options.file, { readOnly: true })
  try {
    const pending = await pendingMigrations(listApplied(connection), MIGRATIONS)
    return pending.map(({ name }) => name)
  } finally {
    connection.close()
  }
}

/** Throws `MigrationsPending` if a migration has not run, or the file does not exist. Does not change the file. */
export async function requireMigratedFile(file: string): Promise<void> {
  if (!(await isCreated({ file }))) return requireMigrated([], MIGRATIONS)
  const connection = connect(file, { readOnly: true })
  try {
    await requireMigrated(listApplied(connection), MIGRATIONS)
  } finally {
    connection.close()
  }
}

const SORT_NAMES_PER_BATCH = 5000

/**
 * Sets `sort_name` of assets that older versions have stored, one batch per transaction. Can be interrupted
 * and repeated.
 */
export async function fillSortNames(database: DatabaseSync, report: ReportUpgrade): Promise<void> {
  const { prepare, transaction } = wrapConnection(database)
  const next = prepare<{ seq: number; filename: string }>(
    `select seq, filename from assets where sort_name is null order by seq limit ${SORT_NAMES_PER_BATCH}`,
  )
  const fill = prepare('update assets set sort_name = :sort_name where seq = :seq')
  const fillSome = () =>
    transaction(() => {
      const rows = next.all()
      for (const { seq, filename } of rows) fill.run({ seq, sort_name: sortName(filename) })
      return rows.length
    })
  const filling = reportFilling(report, 'sort_name')
  while (fillSome() === SORT_NAMES_PER_BATCH) {
    filling.add(SORT_NAMES_PER_BATCH)
    await nextTurn()
  }
}

const PATHS_PER_BATCH = 1000

/**
 * Sets `search_path` of assets that older versions have stored, one batch per transaction. Can be interrupted
 * and repeated.
 */
export async function fillSearchPaths(database: DatabaseSync): Promise<void> {
  const { prepare, transaction } = wrapConnection(database)
  const next = prepare<{ seq: number; folder: string }>(
    `select seq, folder from assets where folder is not null and search_path is null
     order by seq limit ${PATHS_PER_BATCH}`,
  )
  const fill = prepare('update assets set search_path = :search_path where seq = :seq')
  const fillSome = () =>
    transaction(() => {
      const rows = next.all()
      for (const { seq, folder } of rows) {
        fill.run({ seq, search_path: searchPath(pathOfStored(folder)) })
      }
      return rows.length
    })
  while (fillSome() === PATHS_PER_BATCH) await nextTurn()
}

const SKUS_PER_BATCH = 500

/**
 * Folds the SKUs of products that were stored before SKUs were searchable, one batch per transaction. Can be
 * interrupted and repeated.
 */
export async function fillSearchSkus(database: DatabaseSync): Promise<void> {
  const { prepare, transaction } = wrapConnection(database)
  const next = prepare<{ seq: number; sku: string }>(
    `select seq, sku from products where search_sku is null order by seq limit ${SKUS_PER_BATCH}`,
  )
  const fold = prepare<{ search_text: string }>(
    'update products set search_sku = :search_sku where seq = :seq returning search_text',
  )
  const index = prepare(
    'insert or replace into product_texts (rowid, search_text) values (:seq, :search_text)',
  )
  const fillSome = () =>
    transaction(() => {
      const rows = next.all()
      for (const { seq, sku } of rows) {
        const row = fold.get({ seq, search_sku: foldText(sku) })
        index.run({ seq, search_text: row?.search_text ?? null })
      }
      return rows.length
    })
  while (fillSome() === SKUS_PER_BATCH) await nextTurn()
}
