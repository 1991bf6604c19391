import type { Database } from '../database.ts'
import type { OrderRecord } from '../order-data.ts'
import type { Statement, Values } from './dialect.ts'
import { cacheAccountData, type Engine, type Kind, type Within } from './wire-account-data.ts'
import { wireAllMails } from './wire-all-mails.ts'
import { wireBackups } from './wire-backups.ts'
import { wireLifecycle } from './wire-lifecycle.ts'
import { wireOperator } from './wire-operator.ts'

type Group<Name extends keyof Database> = Within<Database, Name>

/** The methods of `Database` that differ between the engines, in groups. */
export interface DatabaseMethods {
  accounts: Group<'ensureAccount' | 'changePlan'>
  usage: Group<'compareUsage' | 'recountUsage' | 'recountBlocks'>
  keys: Group<'forgetRevokedKeys'>
  sessions: Group<'addSession' | 'removeSession'>
  uploadTokens: Group<'forgetUploadTokens'>
  idempotencyKeys: Group<'forgetIdempotencyKeys'>
  jobs: Group<
    | 'readClock'
    | 'listOverdueUploads'
    | 'limitExpiry'
    | 'expireUploads'
    | 'listStuckCompletions'
    | 'claimStuckCompletions'
    | 'readStates'
    | 'claimDueRemovals'
    | 'listRemovals'
    | 'finishRemoval'
    | 'postponeRemoval'
    | 'forgetEndedAssets'
  >
  trash: Group<'removeOldTrash'>
  events: Group<'listAccountsToTrim' | 'trimEvents' | 'compareEvents' | 'repairEvents'>
  verifications: Group<
    'claimVerifications' | 'claimWithheld' | 'releaseWithheld' | 'recordVerification'
  >
  records: Group<'listRecords'>
  storedFiles: Group<'listStoredFiles'>
  queue: Group<
    | 'listWebhooksBehind'
    | 'listEventTypes'
    | 'addDeliveries'
    | 'claimDeliveries'
    | 'nextDeliveryAt'
    | 'renewClaims'
    | 'releaseClaim'
    | 'listAllWebhooks'
    | 'listAllDeliveries'
  >
  attempts: Group<'recordAttempt' | 'forgetDeliveries' | 'trimDeliveries'>
}

/** A call creates only the group that it needs. */
export type DatabaseGroups<Unit> = {
  [Name in keyof DatabaseMethods]: (unit: Unit) => DatabaseMethods[Name]
}

/** What each engine does in its own way. */
type EngineOwn =
  | 'countRequest'
  | 'onEvents'
  | 'onEndedCredential'
  | 'reserveDiskSpace'
  | 'readLoad'
  | 'check'
  | 'close'

/**
 * Creates the methods that are not limited to one account: how each of them runs is the same in both engines. `known`
 * are the migrations of this version.
 */
export function wireDatabase<Unit>(
  engine: Engine<Unit>,
  groups: DatabaseGroups<Unit>,
  { known, of }: { known: string[]; of: Parameters<typeof cacheAccountData>[0] },
): Omit<Database, EngineOwn> {
  const { statements } = engine
  const run = (kind: Kind, party = 'jobs') => engine.runner({ kind, party })
  const read = run('read')
  const write = run('write')
  const free = run('free')
  const readWebhooks = run('read', 'webhooks')
  const writeWebhooks = run('write', 'webhooks')
  const freeWebhooks = run('free', 'webhooks')
  const { accounts, usage, keys, sessions, uploadTokens, jobs, trash, events } = groups
  const { verifications, records, storedFiles, queue, attempts, idempotencyKeys } = groups

  /** Callers are not known yet, so each key has a share of the connections. */
  const ofHash = (hash: string) => `key ${hash.slice(0, 2)}`
  const ofKey = (key: string) => `key ${key}`

  const execute = <Given extends Values, Result>(
    statement: Statement<Given, Result>,
    values: Given,
    runUnit = read,
  ): Promise<Result> => runUnit((unit) => engine.execute(unit, statement, values))

  return {
    of: cacheAccountData(of),
    ...wireAllMails(engine),
    ...wireLifecycle(engine),
    ...wireOperator(engine),
    ...wireBackups(engine),

    ensureAccount: (account) => write((unit) => accounts(unit).ensureAccount(account)),
    findAccount: (name) => execute(statements.findAccount, { name }),
    listAccounts: () => execute(statements.listAccounts, {}),
    changePlan: (id, plan) => write((unit) => accounts(unit).changePlan(id, plan)),

    findKey: (hash) => execute(statements.findKey, { hash }, run('read', ofHash(hash))),
    touchKey: (id, now) => execute(statements.touchKey, { id, now }, run('write', ofKey(id))),
    forgetRevokedKeys: (before, limit) =>
      free((unit) => keys(unit).forgetRevokedKeys(before, limit)),
    addSession: (session, limits) =>
      run('write', ofKey(session.keyId))((unit) => sessions(unit).addSession(session, limits)),
    findSession: (hash) => execute(statements.findSession, { hash }, run('read', ofHash(hash))),
    removeSession: (hash) => run('free', ofKey(hash))((unit) => sessions(unit).removeSession(hash)),
    findUploadToken: (hash) =>
      execute(statements.findUploadToken, { hash }, run('read', ofHash(hash))),
    forgetUploadTokens: (keptForMs, limit) =>
      free((unit) => uploadTokens(unit).forgetUploadTokens(keptForMs, limit)),
    forgetIdempotencyKeys: (keptForMs, limit) =>
      free((unit) => idempotencyKeys(unit).forgetIdempotencyKeys(keptForMs, limit)),

    findOrderByToken: (hash) =>
      execute(statements.orders.findOrderByToken, { hash }, run('read', ofHash(hash))),
    findDownload: (id) => execute(statements.orders.findDownload, { id }, run('read', 'downloads')),
    compareDownloads: async (limit) => {
      const { miscountedFiles, miscountedOrders, miscountedDays, miscountedAccounts } =
        statements.orders
      return [
        ...(await execute(miscountedAccounts, { limit })),
        ...(await execute(miscountedFiles, { limit })),
        ...(await execute(miscountedOrders, { limit })),
        ...(await execute(miscountedDays, { limit })),
      ]
    },
    recountDownloads: (miscount) =>
      write((unit) => {
        const { recountFile, recountOrder, recountDay, recountOrders } = statements.orders
        const { accountId: account } = miscount
        if (miscount.kind === 'orders') return engine.execute(unit, recountOrders, { account })
        if (miscount.kind === 'day') {
          return engine.execute(unit, recountDay, { account, day: miscount.day })
        }
        const { orderId: order } = miscount
        if (miscount.kind === 'order') return engine.execute(unit, recountOrder, { order })
        return engine.execute(unit, recountFile, { order, asset: miscount.assetId })
      }),
    forgetDownloadCounts: async (before, limit) =>
      (await execute(statements.orders.forgetDownloadCounts, { before, limit }, free)).length,
    forgetDownloads: async (kept_for, limit) =>
      (await execute(statements.orders.forgetDownloads, { kept_for, limit }, free)).length,
    listDownloadCounts: (account, after, limit) => {
      const { by, day, subject } = after ?? { by: '', day: 0, subject: '' }
      return execute(statements.orders.listCounts, { account, by, day, subject, limit })
    },
    listOrderRecords: (account, after, limit) =>
      read(async (unit) => {
        const { listRecords, attachedIds, filesOfOrder } = statements.orders
        const orders = await engine.execute(unit, listRecords, {
          account,
          after: after ?? null,
          limit,
        })
        const records: OrderRecord[] = []
        for (const order of orders) {
          const assetIds = await engine.execute(unit, attachedIds, { order: order.id })
          const files = await engine.execute(unit, filesOfOrder, { order: order.id })
          records.push({ order, assetIds, files })
        }
        return records
      }),

    readClock: () => read((unit) => jobs(unit).readClock()),
    listOverdueUploads: (limit) => read((unit) => jobs(unit).listOverdueUploads(limit)),
    limitExpiry: (keptForMs) => free((unit) => jobs(unit).limitExpiry(keptForMs)),
    expireUploads: (ids) => free((unit) => jobs(unit).expireUploads(ids)),
    listStuckCompletions: (before, limit) =>
      read((unit) => jobs(unit).listStuckCompletions(before, limit)),
    claimStuckCompletions: (times, limit) =>
      write((unit) => jobs(unit).claimStuckCompletions(times, limit)),
    readStates: (ids) => read((unit) => jobs(unit).readStates(ids)),
    claimDueRemovals: (now, limit) => free((unit) => jobs(unit).claimDueRemovals(now, limit)),
    listRemovals: (limit) => read((unit) => jobs(unit).listRemovals(limit)),
    finishRemoval: (id) => free((unit) => jobs(unit).finishRemoval(id)),
    postponeRemoval: (id, dueAt) => free((unit) => jobs(unit).postponeRemoval(id, dueAt)),
    removeOldTrash: (keptForMs) => free((unit) => trash(unit).removeOldTrash(keptForMs)),
    listTrashAll: () => execute(statements.listTrashAll, {}),
    listUnfinishedFolderMoves: () => execute(statements.listUnfinishedFolderMoves, {}),
    listUnfinishedProductDeletions: () => execute(statements.listUnfinishedProductDeletions, {}),
    listRunningBulkJobs: () => execute(statements.listRunningBulkJobs, {}),
    compareBulkJobs: (limit) => execute(statements.compareBulkJobs, { limit }),
    repairBulkJob: (id) => execute(statements.repairBulkJob, { id }, free),
    async forgetBulkJobs(limit) {
      const batches = await execute(statements.forgetBulkBatches, { limit }, free)
      const jobs = await execute(statements.forgetBulkJobs, { limit }, free)
      return batches.length + jobs.length
    },
    forgetEndedAssets: (before, limit) =>
      free((unit) => jobs(unit).forgetEndedAssets(before, limit)),
    listAccountsToTrim: (limits, after, limit) =>
      read((unit) => events(unit).listAccountsToTrim(limits, after, limit)),
    trimEvents: (id, limits, batch) =>
      run('free', id)((unit) => events(unit).trimEvents(id, limits, batch)),
    compareEvents: () => read((unit) => events(unit).compareEvents()),
    repairEvents: (id) => write((unit) => events(unit).repairEvents(id)),

    claimVerifications: (name, times, limit) =>
      write((unit) => verifications(unit).claimVerifications(name, times, limit)),
    claimWithheld: (times, options) =>
      write((unit) => verifications(unit).claimWithheld(times, options)),
    releaseWithheld: (key, options) =>
      write((unit) => verifications(unit).releaseWithheld(key, options)),
    postponeVerification: (key, due_at) =>
      execute(statements.postponeVerification, { key, due_at }, write),
    recordVerification: (key, result) =>
      write((unit) => verifications(unit).recordVerification(key, result)),

    findArchive: (id) => execute(statements.findArchive, { id }),
    listArchiveSegments: (id) => execute(statements.listArchiveSegments, { id }),
    readArchiveSegment: (id, number) => execute(statements.readArchiveSegment, { id, number }),
    readObjects: (keys) => execute(statements.readObjects, { keys }),
    countIntactObjects: async (keys) =>
      (await execute(statements.countIntactObjects, { keys })) ?? 0,
    keepCrc32: (key, crc32) => execute(statements.keepCrc32, { key, crc: crc32 }, write),
    async forgetArchives(limit) {
      // Reads first: a read is much cheaper than a write that changes nothing.
      if ((await execute(statements.anyExpiredArchive, {})) === undefined) return 0
      return (await execute(statements.forgetArchives, { limit }, free)).length
    },

    compareUsage: () => read((unit) => usage(unit).compareUsage()),
    recountUsage: (id) => write((unit) => usage(unit).recountUsage(id)),
    recountBlocks: (id, after) => write((unit) => usage(unit).recountBlocks(id, after)),
    listRecords: (after, limit) => read((unit) => records(unit).listRecords(after, limit)),
    listStoredFiles: (after, limit) =>
      read((unit) => storedFiles(unit).listStoredFiles(after, limit)),

    async readIdentity() {
      const identity = await execute(statements.readIdentity, {})
      if (identity === undefined) throw new Error('the database has no identity')
      return identity
    },
    bindStorage: async (storage) =>
      (await execute(statements.bindStorage, { storage }, write)) ?? storage,
    rebindStorage: (storage) => execute(statements.rebindStorage, { storage }, write),
    readSecretKeyId: () => execute(statements.readSecretKeyId, {}),
    bindSecretKey: async (id, replaced) =>
      (await execute(statements.bindSecretKey, { id, replaced: replaced ?? null }, write)) ?? id,
    hasSealedSecrets: async () => (await execute(statements.hasSealedSecrets, {})) ?? false,
    setUnfinishedMove: (from) =>
      execute(statements.setUnfinishedMove, { from: from ?? null }, write),
    findNewerMigration: () => execute(statements.findNewerMigration, { known }),
    async readState() {
      const state = await execute(statements.readState, {})
      if (state === undefined) throw new Error('the database returned no state')
      return state
    },

    listWebhooksBehind: (options) =>
      readWebhooks((unit) => queue(unit).listWebhooksBehind(options)),
    listEventTypes: (account, after, limit) =>
      readWebhooks((unit) => queue(unit).listEventTypes(account, after, limit)),
    addDeliveries: (id, range, added) =>
      writeWebhooks((unit) => queue(unit).addDeliveries(id, range, added)),
    claimDeliveries: (health, times, limits) =>
      writeWebhooks((unit) => queue(unit).claimDeliveries(health, times, limits)),
    nextDeliveryAt: (health) => readWebhooks((unit) => queue(unit).nextDeliveryAt(health)),
    renewClaims: (claimed, until) =>
      writeWebhooks((unit) => queue(unit).renewClaims(claimed, until)),
    releaseClaim: (claimed) => writeWebhooks((unit) => queue(unit).releaseClaim(claimed)),
    recordAttempt: (claimed, result) =>
      writeWebhooks((unit) => attempts(unit).recordAttempt(claimed, result)),
    forgetDeliveries: (before, limit) =>
      freeWebhooks((unit) => attempts(unit).forgetDeliveries(before, limit)),
    trimDeliveries: (id, options) =>
      freeWebhooks((unit) => attempts(unit).trimDeliveries(id, options)),
    listAllWebhooks: (after, limit) =>
      readWebhooks((unit) => queue(unit).listAllWebhooks(after, limit)),
    listAllDeliveries: (id, after, limit) =>
      readWebhooks((unit) => queue(unit).listAllDeliveries(id, after, limit)),
  }
}
