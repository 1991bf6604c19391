import { rememberAccounts } from '../cache-account-data.ts'
import type { Database } from '../database.ts'
import { openTallies } from '../listing/counts-cache.ts'
import { openFoundFew } from '../listing/small-result-cache.ts'
import { globalAccounts, ownAccount } from './accounts.ts'
import { type ListMemory, ownAssetList } from './asset-list.ts'
import { ownAssets } from './assets.ts'
import { openConnection, type PostgresOptions, reach, type Sql } from './connection.ts'
import { globalIdentity } from './identity.ts'
import { globalJobs } from './jobs.ts'
import { ownLinkedRows } from './linked-rows.ts'
import { migrateUnderLock } from './migrations.ts'
import { unitOfWork } from './outages.ts'
import { openPool, type Pool } from './pool.ts'
import { ownProductList } from './product-list.ts'
import { ownProducts } from './products.ts'
import { globalRecords, ownRecords } from './records.ts'
import { ownUploads } from './uploads.ts'
import { globalBooks, ownUsage } from './usage.ts'

/**
 * Connects and migrates. Any number of instances may share the database.
 *
 * Every transaction locks rows in this order, so that none can wait for another in a circle: products
 * by (product_id, variant_id), assets by id, accounts by id, and then what only the holder of the
 * account's row changes (asset_blocks, usage_by_type). Jobs skip assets that are locked.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  await migrateOnce(options)
  const pool = openPool(options)
  const memory = { tallies: openTallies(), few: openFoundFew<string>() }
  // It never connects, but tells which methods there are.
  const { sql } = openConnection(options)
  const global = groupsByMethod(GLOBAL, sql)
  const own = groupsByMethod(ownGroups(memory), sql)
  return {
    ...asUnitsOfWork(pool, global, ''),
    of: rememberAccounts((account) => asUnitsOfWork(pool, own, account)),
    // Its server looks after its own disk.
    reserveDiskSpace: async () => {},
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

const GLOBAL = [globalAccounts, globalBooks, globalIdentity, globalJobs, globalRecords, globalCheck]

function ownGroups(memory: ListMemory) {
  const lists = (sql: Sql, account: string) => ownAssetList(sql, account, memory)
  return [
    ownAccount,
    ownUsage,
    ownAssets,
    lists,
    ownProductList,
    ownProducts,
    ownLinkedRows,
    ownUploads,
    ownRecords,
  ]
}

/** Methods on a connection; those of an account have it in every condition. */
type Group = (sql: Sql, account: string) => object

/** The methods of all of the groups. */
type MethodsOf<Groups extends Group> = (
  Groups extends Group
    ? (methods: ReturnType<Groups>) => void
    : never
) extends (methods: infer All) => void
  ? All
  : never

function globalCheck(sql: Sql): Pick<Database, 'check'> {
  return {
    check: async () => {
      await sql`select 1`
    },
  }
}

function groupsByMethod<Groups extends Group>(groups: Groups[], sql: Sql): Map<string, Groups> {
  const entries = groups.flatMap((group) =>
    Object.keys(group(sql, '')).map((name) => [name, group] as const),
  )
  return new Map(entries)
}

/**
 * Each call has a connection to itself, from its first statement to its last. It makes the methods
 * of its own group only: all of them take longer than many a statement.
 */
function asUnitsOfWork<Groups extends Group>(
  pool: Pool,
  groups: Map<string, Groups>,
  account: string,
): MethodsOf<Groups> {
  const wrapped = Array.from(groups, ([name, group]) => [
    name,
    (...values: unknown[]) =>
      unitOfWork(() =>
        pool.use((sql) => Reflect.get(group(sql, account), name).apply(undefined, values)),
      ),
  ])
  return Object.fromEntries(wrapped)
}
