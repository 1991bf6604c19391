import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { globalAccounts, ownAccount } from './accounts.ts'
import { ownAssets } from './assets.ts'
import { connect, type PostgresOptions, unitOfWork } from './connection.ts'
import { globalJobs } from './jobs.ts'
import { ownLists } from './lists.ts'
import { migrateUnderLock } from './migrations.ts'
import { ownProducts } from './products.ts'
import { globalRecords, ownRecords } from './records.ts'
import { ownUploads } from './uploads.ts'

const CLOSE_TIMEOUT_SECONDS = 5

/** Connects and migrates. Any number of instances may share the database. */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  const sql = connect(options)
  try {
    await unitOfWork(() => migrateUnderLock(sql))
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
  return {
    ...asUnitsOfWork({
      ...globalAccounts(sql),
      ...globalJobs(sql),
      ...globalRecords(sql),
      check: async () => {
        await sql`select 1`
      },
      close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
    }),
    of: (account): AccountData =>
      asUnitsOfWork({
        ...ownAccount(sql, account),
        ...ownAssets(sql, account),
        ...ownLists(sql, account),
        ...ownProducts(sql, account),
        ...ownUploads(sql, account),
        ...ownRecords(sql, account),
      }),
  }
}

type Method = (...values: never[]) => Promise<unknown>

function asUnitsOfWork<Methods extends Record<string, Method>>(methods: Methods): Methods {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: never[]) => unitOfWork(() => method(...values)),
  ])
  return Object.fromEntries(wrapped)
}
