import type { Database } from '../database.ts'
import { listMigrations, type OpenOptions } from '../migrate.ts'
import { openCountsCache } from '../shared/block-counts.ts'
import { openSmallResultCache } from '../shared/listing.ts'
import { cacheAccountData } from '../shared/wiring.ts'
import { accountData, deliveryData } from './account-data.ts'
import { globalAccounts, globalUsage } from './accounts.ts'
import { globalVerifications } from './checksums.ts'
import { openConnection, type PostgresOptions, requireServer } from './connection.ts'
import { openEventChannel } from './event-channel.ts'
import { globalEvents } from './events.ts'
import { globalIdentity } from './identity.ts'
import { globalJobs } from './jobs.ts'
import { globalKeys, globalRequestCount, globalSessions } from './keys.ts'
import { MIGRATIONS, migrateUnderLock } from './migrations.ts'
import { globalRecords, globalStoredFiles } from './records.ts'
import { globalTrash } from './trash.ts'
import { createUnitsOfWork, openPool, unitOfWork } from './unit-of-work.ts'
import { globalUploadTokens } from './upload-tokens.ts'

/**
 * Connects and migrates, unless `migrate` forbids it. Any number of instances may share the database.
 *
 * Every transaction locks rows in this order, so that no deadlock can occur: an upload token, products by
 * (product_id, variant_id), assets by id and then their replacements, a webhook and then its deliveries, accounts by
 * id, and then rows that only the holder of the account's row changes (asset_blocks, usage_by_type, events).
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
  const known = await listMigrations(MIGRATIONS)
  const pool = openPool(options)
  // A separate connection, so that a busy pool is not reported as an outage.
  const checks = openPool({ ...options, poolSize: 1 })
  const units = createUnitsOfWork(pool, (accountIds) => channel.announce(accountIds))
  const read = units({ party: 'jobs', kind: 'read' })
  const run = units({ party: 'jobs', kind: 'write' })
  /** Callers are not known yet, so each key has a share of the connections. */
  const readFor = (hash: string) => units({ party: `key ${hash.slice(0, 2)}`, kind: 'read' })
  const writeFor = (keyId: string) => units({ party: `key ${keyId}`, kind: 'write' })
  const channel = openEventChannel({ options, run: units({ party: 'events', kind: 'write' }) })
  const caches = { counts: openCountsCache(), smallResults: openSmallResultCache<string>() }

  return {
    ...deliveryData(units({ party: 'webhooks', kind: 'write' })),
    of: cacheAccountData((writer) => accountData(units, writer, caches)),

    ensureAccount: (account) => run((sql) => globalAccounts(sql).ensureAccount(account)),
    findAccount: (name) => read((sql) => globalAccounts(sql).findAccount(name)),
    listAccounts: () => read((sql) => globalAccounts(sql).listAccounts()),
    changePlan: (id, plan) => run((sql) => globalAccounts(sql).changePlan(id, plan)),

    findKey: (hash) => readFor(hash)((sql) => globalKeys(sql).findKey(hash)),
    touchKey: (id, now) => writeFor(id)((sql) => globalKeys(sql).touchKey(id, now)),
    forgetRevokedKeys: (before, limit) =>
      run((sql) => globalKeys(sql).forgetRevokedKeys(before, limit)),
    addSession: (session, limits) =>
      writeFor(session.keyId)((sql) => globalSessions(sql).addSession(session, limits)),
    findSession: (tokenHash) =>
      readFor(tokenHash)((sql) => globalSessions(sql).findSession(tokenHash)),
    removeSession: (tokenHash) =>
      writeFor(tokenHash)((sql) => globalSessions(sql).removeSession(tokenHash)),
    findUploadToken: (hash) =>
      readFor(hash)((sql) => globalUploadTokens(sql).findUploadToken(hash)),
    forgetUploadTokens: (keptForMs, limit) =>
      run((sql) => globalUploadTokens(sql).forgetUploadTokens(keptForMs, limit)),
    countRequest: (request, windowStart) =>
      // All keys of an account wait for the row of their group, so they share the connections of one party.
      units({ party: request.group, kind: 'write' })((sql) =>
        globalRequestCount(sql).countRequest(request, windowStart),
      ),

    readClock: () => read((sql) => globalJobs(sql).readClock()),
    listOverdueUploads: (limit) => read((sql) => globalJobs(sql).listOverdueUploads(limit)),
    limitExpiry: (keptForMs) => run((sql) => globalJobs(sql).limitExpiry(keptForMs)),
    expireUploads: (ids) => run((sql) => globalJobs(sql).expireUploads(ids)),
    listStuckCompletions: (before, limit) =>
      read((sql) => globalJobs(sql).listStuckCompletions(before, limit)),
    claimStuckCompletions: (times, limit) =>
      run((sql) => globalJobs(sql).claimStuckCompletions(times, limit)),
    readStates: (ids) => read((sql) => globalJobs(sql).readStates(ids)),
    claimDueRemovals: (now, limit) => run((sql) => globalJobs(sql).claimDueRemovals(now, limit)),
    listRemovals: (limit) => read((sql) => globalJobs(sql).listRemovals(limit)),
    finishRemoval: (id) => run((sql) => globalJobs(sql).finishRemoval(id)),
    postponeRemoval: (id, dueAt) => run((sql) => globalJobs(sql).postponeRemoval(id, dueAt)),
    removeOldTrash: (keptForMs) => run((sql) => globalTrash(sql).removeOldTrash(keptForMs)),
    listTrashAll: () => read((sql) => globalTrash(sql).listTrashAll()),
    forgetEndedAssets: (before, limit) =>
      run((sql) => globalJobs(sql).forgetEndedAssets(before, limit)),
    listAccountsToTrim: (limits, after, limit) =>
      read((sql) => globalEvents(sql).listAccountsToTrim(limits, after, limit)),
    trimEvents: (id, limits, batch) =>
      units({ party: id, kind: 'write' })((sql) => globalEvents(sql).trimEvents(id, limits, batch)),
    compareEvents: () => read((sql) => globalEvents(sql).compareEvents()),
    repairEvents: (id) => run((sql) => globalEvents(sql).repairEvents(id)),

    claimVerifications: (queue, times, limit) =>
      run((sql) => globalVerifications(sql).claimVerifications(queue, times, limit)),
    claimWithheld: (times, options) =>
      run((sql) => globalVerifications(sql).claimWithheld(times, options)),
    releaseWithheld: (key, options) =>
      run((sql) => globalVerifications(sql).releaseWithheld(key, options)),
    postponeVerification: (key, dueAt) =>
      run((sql) => globalVerifications(sql).postponeVerification(key, dueAt)),
    recordVerification: (key, result) =>
      run((sql) => globalVerifications(sql).recordVerification(key, result)),

    compareUsage: () => read((sql) => globalUsage(sql).compareUsage()),
    recountUsage: (id) => run((sql) => globalUsage(sql).recountUsage(id)),
    recountBlocks: (id, after) => run((sql) => globalUsage(sql).recountBlocks(id, after)),
    listRecords: (after, limit) => read((sql) => globalRecords(sql).listRecords(after, limit)),
    listStoredFiles: (after, limit) =>
      read((sql) => globalStoredFiles(sql).listStoredFiles(after, limit)),

    readIdentity: () => read((sql) => globalIdentity(sql).readIdentity()),
    bindStorage: (storageId) => run((sql) => globalIdentity(sql).bindStorage(storageId)),
    rebindStorage: (storageId) => run((sql) => globalIdentity(sql).rebindStorage(storageId)),
    readSecretKeyId: () => read((sql) => globalIdentity(sql).readSecretKeyId()),
    bindSecretKey: (id, replaced) => run((sql) => globalIdentity(sql).bindSecretKey(id, replaced)),
    hasSealedSecrets: () => read((sql) => globalIdentity(sql).hasSealedSecrets()),
    setUnfinishedMove: (from) => run((sql) => globalIdentity(sql).setUnfinishedMove(from)),
    findNewerMigration: () => read((sql) => globalIdentity(sql).findNewerMigration(known)),

    onEvents: channel.onEvents,
    onEndedCredential: channel.onEndedCredential,

    // The disk belongs to the PostgreSQL server.
    reserveDiskSpace: async () => {},
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
