import type { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { listMigrations, type OpenOptions } from '../migrate.ts'
import { cacheAccountData } from '../shared/wiring.ts'
import { prepareAccountData, prepareDeliveryData } from './account-data.ts'
import { prepareAccounts, prepareUsage } from './accounts.ts'
import { prepareVerifications } from './checksums.ts'
import { connect, disableBusyTimeout, openSnapshotReader, wrapConnection } from './connection.ts'
import { openEventChannel } from './event-channel.ts'
import { prepareEventsOfAll } from './events.ts'
import { prepareIdentity } from './identity.ts'
import { prepareJobs } from './jobs.ts'
import { countRequestsInMemory, prepareKeys, prepareSessions } from './keys.ts'
import {
  fillSearchPaths,
  fillSearchSkus,
  fillSortNames,
  MIGRATIONS,
  migrateFile,
  requireMigratedFile,
} from './migrations.ts'
import { openPutProducts } from './products.ts'
import { prepareRecords, prepareStoredFiles } from './records.ts'
import { prepareTrash } from './trash.ts'
import { createUnitsOfWork, groupCommits, openSpareFile, type SpareFile } from './unit-of-work.ts'
import { prepareUploadTokens } from './upload-tokens.ts'

export interface SqliteOptions {
  file: string
  /** Opens the file for reading only. All migrations must have run. */
  readOnly?: boolean
  /** Called for every statement that runs. */
  onStatement?: (sql: string) => void
}

/** Opens the file, and creates or migrates it if necessary, unless `migrate` forbids it. */
export async function openSqliteDatabase(
  options: SqliteOptions,
  opening: OpenOptions = {},
): Promise<Database> {
  const { file, onStatement } = options
  const spareFile = openSpareFile(file)
  const database = await openFile(options, spareFile, opening)
  const known = await listMigrations(MIGRATIONS)
  const channel = openEventChannel(database)
  const listeners = { onStatement, onEvents: channel.announce }
  const connection = wrapConnection(database, listeners)
  const inGroup = groupCommits(connection)
  const run = createUnitsOfWork(inGroup, spareFile)
  const snapshots = openSnapshotReader({ file, database }, { onStatement })
  const putProducts = openPutProducts({ file, connection, inGroup, ...listeners })
  const ping = connection.prepare('select 1')
  const countRequest = countRequestsInMemory()
  const accounts = prepareAccounts(connection)
  const events = prepareEventsOfAll(connection)
  const identity = prepareIdentity(connection)
  const jobs = prepareJobs(connection)
  const keys = prepareKeys(connection)
  const records = prepareRecords(connection)
  const sessions = prepareSessions(connection)
  const storedFiles = prepareStoredFiles(connection)
  const trash = prepareTrash(connection)
  const uploadTokens = prepareUploadTokens(connection)
  const usage = prepareUsage(connection)
  const verifications = prepareVerifications(connection)
  const { read, write, free } = run

  return {
    ...prepareDeliveryData(connection, run),
    of: cacheAccountData(prepareAccountData(connection, { putProducts, snapshots }, run)),

    ensureAccount: (account) => write(() => accounts.ensureAccount(account)),
    findAccount: (name) => read(() => accounts.findAccount(name)),
    listAccounts: () => read(() => accounts.listAccounts()),
    changePlan: (id, plan) => write(() => accounts.changePlan(id, plan)),

    findKey: (hash) => read(() => keys.findKey(hash)),
    touchKey: (id, now) => write(() => keys.touchKey(id, now)),
    forgetRevokedKeys: (before, limit) => free(() => keys.forgetRevokedKeys(before, limit)),
    addSession: (session, limits) => write(() => sessions.addSession(session, limits)),
    findSession: (tokenHash) => read(() => sessions.findSession(tokenHash)),
    removeSession: (tokenHash) => free(() => sessions.removeSession(tokenHash)),
    findUploadToken: (hash) => read(() => uploadTokens.findUploadToken(hash)),
    forgetUploadTokens: (keptForMs, limit) =>
      free(() => uploadTokens.forgetUploadTokens(keptForMs, limit)),
    countRequest: (request, windowStart) => read(() => countRequest(request, windowStart)),

    readClock: () => read(() => jobs.readClock()),
    listOverdueUploads: (limit) => read(() => jobs.listOverdueUploads(limit)),
    limitExpiry: (keptForMs) => free(() => jobs.limitExpiry(keptForMs)),
    expireUploads: (ids) => free(() => jobs.expireUploads(ids)),
    listStuckCompletions: (before, limit) => read(() => jobs.listStuckCompletions(before, limit)),
    claimStuckCompletions: (times, limit) => write(() => jobs.claimStuckCompletions(times, limit)),
    readStates: (ids) => read(() => jobs.readStates(ids)),
    claimDueRemovals: (now, limit) => free(() => jobs.claimDueRemovals(now, limit)),
    listRemovals: (limit) => read(() => jobs.listRemovals(limit)),
    finishRemoval: (id) => free(() => jobs.finishRemoval(id)),
    postponeRemoval: (id, dueAt) => free(() => jobs.postponeRemoval(id, dueAt)),
    removeOldTrash: (keptForMs) => free(() => trash.removeOldTrash(keptForMs)),
    listTrashAll: () => read(() => trash.listTrashAll()),
    forgetEndedAssets: (before, limit) => free(() => jobs.forgetEndedAssets(before, limit)),
    listAccountsToTrim: (limits, after, limit) =>
      read(() => events.listAccountsToTrim(limits, after, limit)),
    trimEvents: (id, limits, batch) => free(() => events.trimEvents(id, limits, batch)),
    compareEvents: () => read(() => events.compareEvents()),
    repairEvents: (id) => write(() => events.repairEvents(id)),

    claimVerifications: (queue, times, limit) =>
      write(() => verifications.claimVerifications(queue, times, limit)),
    claimWithheld: (times, options) => write(() => verifications.claimWithheld(times, options)),
    releaseWithheld: (key, options) => write(() => verifications.releaseWithheld(key, options)),
    postponeVerification: (key, dueAt) =>
      write(() => verifications.postponeVerification(key, dueAt)),
    recordVerification: (key, result) => write(() => verifications.recordVerification(key, result)),

    compareUsage: () => read(() => usage.compareUsage()),
    recountUsage: (id) => write(() => usage.recountUsage(id)),
    recountBlocks: (id, after) => write(() => usage.recountBlocks(id, after)),
    listRecords: (after, limit) => read(() => records.listRecords(after, limit)),
    listStoredFiles: (after, limit) => read(() => storedFiles.listStoredFiles(after, limit)),

    readIdentity: () => read(() => identity.readIdentity()),
    bindStorage: (storageId) => write(() => identity.bindStorage(storageId)),
    rebindStorage: (storageId) => write(() => identity.rebindStorage(storageId)),
    readSecretKeyId: () => read(() => identity.readSecretKeyId()),
    bindSecretKey: (id, replaced) => write(() => identity.bindSecretKey(id, replaced)),
    hasSealedSecrets: () => read(() => identity.hasSealedSecrets()),
    setUnfinishedMove: (from) => write(() => identity.setUnfinishedMove(from)),
    findNewerMigration: () => read(() => identity.findNewerMigration(known)),

    onEvents: channel.onEvents,
    onEndedCredential: channel.onEndedCredential,

    reserveDiskSpace: () => spareFile.allocate(),
    async check() {
      await read(() => ping.get())
    },
    close: () =>
      read(() => {
        channel.close()
        putProducts.close()
        snapshots.close()
        database.close()
      }),
  }
}

async function openFile(
  options: SqliteOptions,
  spareFile: SpareFile,
  { migrate = 'auto', report = () => {} }: OpenOptions,
): Promise<DatabaseSync> {
  const { file, readOnly = false } = options
  if (readOnly || migrate !== 'auto') await requireMigratedFile(file)
  const database = readOnly ? connect(file, { readOnly }) : connectOnFullDisk(file, spareFile)
  try {
    if (!readOnly && migrate !== 'never') {
      if (migrate === 'auto') await migrateFile(database, report)
      await fillSearchSkus(database)
      await fillSortNames(database, report)
      await fillSearchPaths(database)
    }
    disableBusyTimeout(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Connecting creates files, which fails on a full disk. It is then retried with the space of the spare file. */
function connectOnFullDisk(file: string, spareFile: SpareFile): DatabaseSync {
  try {
    return connect(file)
  } catch (error) {
    if (!spareFile.release()) throw error
    return connect(file)
  }
}
