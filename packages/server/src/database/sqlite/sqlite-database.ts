import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { EngineUnavailable } from '../../errors.ts'
import { rememberAccounts } from '../cache-account-data.ts'
import type { Database } from '../database.ts'
import { migrate, pendingMigrations } from '../migrate.ts'
import { prepareAccounts } from './accounts.ts'
import { prepareAssetList } from './asset-list.ts'
import { prepareAssets } from './assets.ts'
import {
  connect,
  listApplied,
  MIGRATIONS,
  migrationTarget,
  stopWaiting,
  toOutage,
} from './connection.ts'
import { groupCommits } from './group-commit.ts'
import { prepareIdentity } from './identity.ts'
import { prepareJobs } from './jobs.ts'
import { prepareKeys } from './keys.ts'
import { prepareLinkedRows } from './linked-rows.ts'
import { prepareLinks } from './links.ts'
import { retryWhileBusy } from './outages.ts'
import { prepareProductList } from './product-list.ts'
import { prepareProducts } from './products.ts'
import { openPutProducts } from './put-products.ts'
import { prepareRecords } from './records.ts'
import { countRequestsInMemory } from './request-count.ts'
import { type SpareRoom, spareRoomBeside } from './spare-file.ts'
import { wrapConnection } from './statement.ts'
import { prepareUploads } from './uploads.ts'
import { prepareBooks } from './usage.ts'

export interface SqliteOptions {
  file: string
  /** Reads only, and leaves the file as it is; then every migration must have run. */
  readOnly?: boolean
  /** Told of every statement that runs. */
  onStatement?: (sql: string) => void
}

/** Opens the file, creating and migrating it as needed. */
export async function openSqliteDatabase(options: SqliteOptions): Promise<Database> {
  const { file, readOnly = false } = options
  const spare = spareRoomBeside(file)
  const database = readOnly ? connect(file, { readOnly }) : withRoom(spare, () => connect(file))
  try {
    if (readOnly) await refusePending(database, file)
    else await migrate(migrationTarget(database), MIGRATIONS)
    stopWaiting(database)
  } catch (error) {
    database.close()
    throw error
  }
  const connection = wrapConnection(database, options.onStatement)
  const accounts = prepareAccounts(connection)
  const books = prepareBooks(connection)
  const keys = prepareKeys(connection)
  const records = prepareRecords(connection)
  const inGroup = groupCommits(connection)
  const { onStatement } = options
  const products = openPutProducts({ file, connection, inGroup, onStatement })
  /** All of these take the account's id first. */
  const ofAccount = {
    ...accounts.ofAccount,
    ...books.ofAccount,
    ...keys.ofAccount,
    ...prepareAssets(connection),
    ...prepareAssetList(connection),
    ...prepareUploads(connection),
    ...prepareProducts(connection),
    putProducts: products.putProducts,
    ...prepareProductList(connection),
    ...prepareLinks(connection),
    ...prepareLinkedRows(connection),
    ...records.ofAccount,
  }
  const global = {
    ...accounts.global,
    ...books.global,
    ...keys.global,
    ...prepareIdentity(connection),
    ...prepareJobs(connection),
    ...records.global,
    countRequest: countRequestsInMemory(),
    check() {
      connection.prepare('select 1').get()
    },
    close() {
      products.close()
      database.close()
    },
  }
  const units = asUnitsOfWork(ofAccount, { inGroup, spare })
  return {
    ...asUnitsOfWork(global, { inGroup, spare }),
    reserveDiskSpace: () => spare.keep(),
    of: rememberAccounts((accountId) => bindFirst(units, accountId)),
  }
}

/** What only reads need not wait for a commit, nor what commits by itself. */
const NOT_IN_GROUP = new Set([
  'putProducts',
  'readSummary',
  'readUsage',
  'findAsset',
  'findUpload',
  'listAssets',
  'findProduct',
  'listProducts',
  'productsOfAssets',
  'productsOfAsset',
  'assetsOfProducts',
  'newestAssetsOf',
  'listKeys',
  'findAccount',
  'listAccounts',
  'findKey',
  'countRequest',
  'listStuckCompletions',
  'listOverdueUploads',
  'readClock',
  'readStates',
  'listRemovals',
  'compareUsage',
  'listRecords',
  'readIdentity',
  'check',
  'close',
])

/** What frees room, or ends what holds some, also succeeds on a disk that is full. */
const FREES = new Set([
  'deleteAsset',
  'cancelUpload',
  'abandonCompletion',
  'dropReservation',
  'deleteProduct',
  'revokeKey',
  'limitExpiry',
  'expireUploads',
  'claimDueRemovals',
  'finishRemoval',
  'postponeRemoval',
  'forgetEndedAssets',
])

/** Opening makes files, too. */
function withRoom<Result>(spare: SpareRoom, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!spare.release()) throw error
    return work()
  }
}

/** Whether opening it would create or change its tables. Leaves the file as it is. */
export async function needsMigration({ file }: { file: string }): Promise<boolean> {
  if (!existsSync(file)) return true
  const database = connect(file, { readOnly: true })
  try {
    return (await pendingMigrations(listApplied(database), MIGRATIONS)).length > 0
  } finally {
    database.close()
  }
}

async function refusePending(database: DatabaseSync, file: string): Promise<void> {
  const pending = await pendingMigrations(listApplied(database), MIGRATIONS)
  if (pending.length > 0) {
    throw new Error(`${file} is of an older version: start this version on it once, then stop it`)
  }
}

type Method = (...values: never[]) => unknown

type AsyncMethods<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Awaited<Result>>
    : never
}

/** SQLite answers at once; the port's promise is kept, and outages are told from faults. */
function asUnitsOfWork<Methods extends Record<string, Method>>(
  methods: Methods,
  { inGroup, spare }: { inGroup: ReturnType<typeof groupCommits>; spare: SpareRoom },
): AsyncMethods<Methods> {
  return mapValues(methods, (method, name) => async (...values: never[]) => {
    const work = () => method(...values)
    try {
      return await (NOT_IN_GROUP.has(name) ? retryWhileBusy(work) : inGroup(work))
    } catch (error) {
      const outage = toOutage(error)
      const isFull = outage instanceof EngineUnavailable && outage.isFull
      if (!isFull || !FREES.has(name) || !spare.release()) throw outage
      return inGroup(work).catch((failure: unknown) => {
        throw toOutage(failure)
      })
    }
  }) as AsyncMethods<Methods>
}

type WithoutFirst<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (
    first: string,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never
}

function bindFirst<Methods extends Record<string, Method>>(
  methods: Methods,
  first: string,
): WithoutFirst<Methods> {
  return mapValues(methods, (method) =>
    method.bind(undefined, first as never),
  ) as WithoutFirst<Methods>
}

function mapValues(
  methods: Record<string, Method>,
  change: (method: Method, name: string) => Method,
) {
  const entries = Object.entries(methods)
  return Object.fromEntries(entries.map(([name, method]) => [name, change(method, name)]))
}
