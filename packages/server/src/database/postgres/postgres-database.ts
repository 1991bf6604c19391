import type { Database } from '../database.ts'
import { listMigrations, type OpenOptions } from '../migrate.ts'
import { openCountsCache } from '../shared/block-counts.ts'
import { openSmallResultCache } from '../shared/listing.ts'
import {
  type AccountGroups,
  type Engine,
  type Writer,
  wireAccountData,
} from '../shared/wire-account-data.ts'
import { type DatabaseGroups, wireDatabase } from '../shared/wire-database.ts'
import { globalAccounts, globalUsage } from './accounts.ts'
import { addArchive } from './archives.ts'
import { accountAssetList, type ListingCaches } from './asset-list.ts'
import { accountAssets } from './assets.ts'
import { accountAttachedRows, accountAttachments } from './attachments.ts'
import { accountBulkJobs } from './bulk-jobs.ts'
import { globalVerifications } from './checksums.ts'
import { accountCompletion } from './completion.ts'
import {
  execute,
  inTransaction,
  openConnection,
  type PostgresOptions,
  requireServer,
  type Sql,
} from './connection.ts'
import { deliveryQueue, webhookAttempts } from './delivery-queue.ts'
import { openEventChannel } from './event-channel.ts'
import { accountEvents, globalEvents } from './events.ts'
import { accountFolderList, accountFolderMoves } from './folders.ts'
import { accountOnce, globalIdempotencyKeys } from './idempotency-keys.ts'
import { globalJobs } from './jobs.ts'
import { accountKeys, globalKeys, globalRequestCount, globalSessions } from './keys.ts'
import { MIGRATIONS, migrateUnderLock } from './migrations.ts'
import { accountOrderList, performWork } from './orders.ts'
import { openPool, openSnapshotPool, type Pool } from './pool.ts'
import { accountProductGroups, accountProductList } from './product-list.ts'
import { accountProducts, accountPutProducts } from './products.ts'
import { accountRecords, globalRecords, globalStoredFiles } from './records.ts'
import { STATEMENTS } from './rows.ts'
import { accountTags } from './tags.ts'
import { accountTrash, accountTrashList, globalTrash } from './trash.ts'
import { createUnitsOfWork, unitOfWork } from './unit-of-work.ts'
import { accountUploadTokens, globalUploadTokens } from './upload-tokens.ts'
import { accountUploadList, accountUploads } from './uploads.ts'
import { accountVersions } from './versions.ts'
import { accountDeliveries, accountWebhooks } from './webhooks.ts'

/**
 * Connects and migrates, unless `migrate` forbids it. Any number of instances may share the database.
 *
 * Every transaction locks rows in this order, so that no deadlock can occur: a bulk job, an idempotency key, an upload
 * token, the advisory locks of an account, products by (product_id, variant_id), assets by id and then their replacements, the
 * order of the files of a product, a webhook and then its deliveries, an order and then its files, accounts by id, and then
 * rows that only the holder of the account's row changes (asset_blocks, usage_by_type, tags, asset_tags, events,
 * download_counts).
 * Jobs that expire, remove or forget assets skip locked ones, and so does an upload that removes assets from the trash
 * while it holds the account's row.
 *
 * A query that selects a limited number of rows for a change is in `array(…)`, so that it runs only once. As the inner
 * side of a nested loop, it would run for every row of the table and exceed its limit, because it skips changed rows.
 */
export async function openPostgresDatabase(
  options: PostgresOptions,
  opening: OpenOptions = {},
): Promise<Database> {
  await migrateOnce(options, opening)
  const known = await listMigrations(opening.migrations ?? MIGRATIONS)
  return databaseOf(options, { pool: openPool(options), known })
}

/**
 * All reads see the state of the database at the time of the first one, until it is closed, and nothing can be written. It
 * holds no locks. Reads run one after the other.
 */
export async function openPostgresSnapshot(options: PostgresOptions): Promise<Database> {
  await migrateOnce(options, { migrate: 'off' })
  const known = await listMigrations(MIGRATIONS)
  return databaseOf(options, { pool: openSnapshotPool(options), known })
}

function databaseOf(
  options: PostgresOptions,
  { pool, known }: { pool: Pool; known: string[] },
): Database {
  // A separate connection, so that a busy pool is not reported as an outage.
  const checks = openPool({ ...options, poolSize: 1 })
  const units = createUnitsOfWork(pool, (notices) => channel.announce(notices))
  const channel = openEventChannel({ options, run: units({ party: 'events', kind: 'write' }) })
  const caches = { counts: openCountsCache(), smallResults: openSmallResultCache<string>() }

  const engine: Engine<Sql> = {
    statements: STATEMENTS,
    runner: ({ kind, party }) => units({ party, kind: kind === 'read' ? 'read' : 'write' }),
    execute,
    transact: (sql, writer, work) => inTransaction(sql, () => performWork(sql, writer, work)),
  }

  return {
    ...wireDatabase(engine, DATABASE_GROUPS, {
      known,
      of: wireAccountData(engine, (writer) => accountGroups(writer, engine, caches)),
    }),

    countRequest: (request, windowStart) =>
      // All keys of an account wait for the row of their group, so they share the connections of one party.
      units({ party: request.group, kind: 'write' })((sql) =>
        globalRequestCount(sql).countRequest(request, windowStart),
      ),

    onEvents: channel.onEvents,
    onEndedCredential: channel.onEndedCredential,

    // The disk belongs to the PostgreSQL server.
    reserveDiskSpace: async () => {},
    readLoad: () => pool.readLoad(),
    async check() {
      const use = { party: 'checks', kind: 'read' } as const
      await unitOfWork(() => checks.use(use, (sql) => sql`select 1`))
    },
    async close() {
      await channel.close()
      await Promise.all([pool.close(), checks.close()])
    },
  }
}

const DATABASE_GROUPS: DatabaseGroups<Sql> = {
  accounts: globalAccounts,
  usage: globalUsage,
  keys: globalKeys,
  sessions: globalSessions,
  uploadTokens: globalUploadTokens,
  idempotencyKeys: globalIdempotencyKeys,
  jobs: globalJobs,
  trash: globalTrash,
  events: globalEvents,
  verifications: globalVerifications,
  records: globalRecords,
  storedFiles: globalStoredFiles,
  queue: deliveryQueue,
  attempts: webhookAttempts,
}

function accountGroups(
  writer: Writer,
  { runner }: Engine<Sql>,
  caches: ListingCaches,
): AccountGroups<Sql> {
  const { account } = writer
  const write = runner({ kind: 'write', party: account, account })
  return {
    uploads: (sql) => accountUploads(sql, writer),
    uploadList: (sql) => accountUploadList(sql, account),
    completion: (sql) => accountCompletion(sql, writer),
    assets: (sql) => accountAssets(sql, writer),
    assetList: (sql) => accountAssetList(sql, account, caches),
    trash: (sql) => accountTrash(sql, writer),
    trashList: (sql) => accountTrashList(sql, account),
    folderList: (sql) => accountFolderList(sql, account),
    folderMoves: (sql) => accountFolderMoves(sql, writer),
    bulkJobs: (sql) => accountBulkJobs(sql, writer),
    versions: (sql) => accountVersions(sql, writer),
    bulk: {
      trashAssets: (ids) => write((sql) => accountTrash(sql, writer).trashAssets(ids)),
      deleteAssets: (ids, isFromTrash) =>
        write((sql) => accountTrash(sql, writer).deleteAssets(ids, isFromTrash)),
      restoreAssets: (ids) => write((sql) => accountTrash(sql, writer).restoreAssets(ids)),
      attachAssets: (ids, selection) =>
        write((sql) => accountAttachments(sql, writer).attachAssets(ids, selection)),
      detachAssets: (ids, selection) =>
        write((sql) => accountAttachments(sql, writer).detachAssets(ids, selection)),
      moveAssets: (ids, path) =>
        write((sql) => accountFolderMoves(sql, writer).moveAssets(ids, path)),
      tagAssets: (ids, tags) => write((sql) => accountTags(sql, writer).tagAssets(ids, tags)),
      untagAssets: (ids, tags) => write((sql) => accountTags(sql, writer).untagAssets(ids, tags)),
      addBulkJob: (job, ids) => write((sql) => accountBulkJobs(sql, writer).addBulkJob(job, ids)),
      undoBulkJob: (id, undo) => write((sql) => accountBulkJobs(sql, writer).undoBulkJob(id, undo)),
      addArchive: (archive, limits) => write((sql) => addArchive(sql, writer, archive, limits)),
      putProducts: (products, options) =>
        write((sql) => accountPutProducts(sql, writer).putProducts(products, options)),
      continueProductDeletion: (id) =>
        write((sql) => accountProducts(sql, writer).continueDeletion(id)),
    },
    orderList: (sql) => accountOrderList(sql, account),
    productList: (sql) => accountProductList(sql, account),
    productGroups: (sql) => accountProductGroups(sql, account),
    tags: (sql) => accountTags(sql, writer),
    attachments: (sql) => accountAttachments(sql, writer),
    attachedRows: (sql) => accountAttachedRows(sql, account),
    keys: (sql) => accountKeys(sql, writer),
    uploadTokens: (sql) => accountUploadTokens(sql, writer),
    once: (sql) => accountOnce(sql, writer),
    events: (sql) => accountEvents(sql, account),
    records: (sql) => accountRecords(sql, account),
    webhooks: (sql) => accountWebhooks(sql, writer),
    deliveries: (sql) => accountDeliveries(sql, account),
  }
}

/** Migrates on a separate connection, as it may wait a long time for another instance that is migrating. */
async function migrateOnce(options: PostgresOptions, opening: OpenOptions): Promise<void> {
  const connection = openConnection(options)
  try {
    await unitOfWork(async () => {
      await requireServer(connection, options)
      await migrateUnderLock(connection.sql, opening)
    })
  } finally {
    await connection.close()
  }
}
