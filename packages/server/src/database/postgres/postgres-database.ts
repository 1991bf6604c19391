import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { globalAccounts, ownAccount } from './accounts.ts'
import { ownAssets } from './assets.ts'
import { openConnection, type PostgresOptions, reach, type Sql } from './connection.ts'
import { globalJobs } from './jobs.ts'
import { ownLists } from './lists.ts'
import { migrateUnderLock } from './migrations.ts'
import { unitOfWork } from './outages.ts'
import { openPool, type Pool } from './pool.ts'
import { ownProducts } from './products.ts'
import { globalRecords, ownRecords } from './records.ts'
import { ownUploads } from './uploads.ts'

/** Connects and migrates. Any number of instances may share the database. */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  await migrateOnce(options)
  const pool = openPool(options)
  // It never connects, but tells which methods there are.
  const { sql: anySql } = openConnection(options)
  const names = { global: methodsOf(global(anySql)), own: methodsOf(own(anySql, '')) }
  return {
    ...asUnitsOfWork(pool, names.global, global),
    of: (account) => asUnitsOfWork(pool, names.own, (sql) => own(sql, account)),
    close: () => pool.close(),
  }
}

/** On a connection of its own: it may wait long for others that migrate. */
async function migrateOnce(options: PostgresOptions): Promise<void> {
  const connection = openConnection(options)
  try {
    await unitOfWork(async () => {
      await reach(connection)
      await migrateUnderLock(connection.sql)
    })
  } finally {
    await connection.close()
  }
}

function global(sql: Sql): Omit<Database, 'of' | 'close'> {
  return {
    ...globalAccounts(sql),
    ...globalJobs(sql),
    ...globalRecords(sql),
    check: async () => {
      await sql`select 1`
    },
  }
}

function own(sql: Sql, account: string): AccountData {
  return {
    ...ownAccount(sql, account),
    ...ownAssets(sql, account),
    ...ownLists(sql, account),
    ...ownProducts(sql, account),
    ...ownUploads(sql, account),
    ...ownRecords(sql, account),
  }
}

function methodsOf<Methods extends object>(methods: Methods): (keyof Methods)[] {
  return Object.keys(methods) as (keyof Methods)[]
}

/** Each call has a connection to itself, from its first statement to its last. */
function asUnitsOfWork<Methods extends object>(
  pool: Pool,
  names: (keyof Methods)[],
  methodsOn: (sql: Sql) => Methods,
): Methods {
  type Method = (...values: unknown[]) => Promise<unknown>
  const wrapped = names.map((name) => [
    name,
    (...values: unknown[]) =>
      unitOfWork(() => pool.use((sql) => (methodsOn(sql)[name] as Method)(...values))),
  ])
  return Object.fromEntries(wrapped)
}
