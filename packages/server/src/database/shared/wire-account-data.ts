import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../domain/errors.ts'
import { type EventActor, OPERATOR } from '../../domain/event.ts'
import type { AccountData } from '../account-data.ts'
import type { BulkBatchRecord } from '../bulk-data.ts'
import { toBulkJobValues } from './bulk-jobs.ts'
import type { Statement, Values } from './dialect.ts'
import { storeActor } from './events.ts'
import { untilDeleted } from './product-deletion.ts'
import { arrangeFiles, importFileOrder } from './product-files.ts'
import type { Statements } from './statements.ts'
import { run as runStatement, type SharedWork } from './steps.ts'
import { wireMails } from './wire-mails.ts'
import { wireOrders } from './wire-orders.ts'

const MAX_CACHED = 1000

/** An account, and who changes its data. */
export interface Writer {
  account: string
  /** Who makes the changes, as `storeActor` returns it. */
  actor: string
}

/** Creates the methods of each account and actor once instead of on every request, except for calls with an ID. */
export function cacheAccountData(
  create: (writer: Writer) => AccountData,
): (accountId: string, actor?: EventActor, call?: string) => AccountData {
  const cache = new Map<string, AccountData>()
  return (account, actor = OPERATOR, call) => {
    const writer = { account, actor: storeActor(actor, call) }
    if (call !== undefined) return create(writer)
    const { type, id, name } = actor
    const key = `${account} ${type} ${id} ${name}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const data = create(writer)
    if (cache.size > MAX_CACHED) cache.clear()
    cache.set(key, data)
    return data
  }
}

/**
 * Whether the bytes fit into the plan now. `partial`: more assets in the trash must be removed than one
 * transaction may remove, or other transactions have locked them. Commit, and try again.
 */
export type Room = 'made' | 'partial' | 'none'

/** The outcome of a unit of work that has removed only a part of the trash: see `Room`. */
export interface PartialRoom {
  outcome: 'partial'
}

const PARTIAL_TIMEOUT_MS = 10_000
const PARTIAL_PAUSE_MS = 10

/**
 * Repeats a unit of work while its outcome is `partial`. Call it outside of the unit, so that the pauses hold neither a
 * connection nor a lock. Throws `EngineUnavailable` after `PARTIAL_TIMEOUT_MS`.
 */
async function retryWhilePartial<Result extends { outcome: string }>(
  work: () => Promise<Result | PartialRoom>,
): Promise<Result> {
  const end = performance.now() + PARTIAL_TIMEOUT_MS
  for (;;) {
    const result = await work()
    if (result.outcome !== 'partial') return result as Result
    if (performance.now() > end) {
      const cause = new Error(`could not remove enough trash within ${PARTIAL_TIMEOUT_MS} ms`)
      throw new EngineUnavailable('database', cause)
    }
    await pause(PARTIAL_PAUSE_MS)
  }
}

/** How a unit of work runs. `free` is a write that must also work on a full disk, such as a deletion. */
export type Kind = 'read' | 'write' | 'free'

export interface Use {
  kind: Kind
  /** Who waits: an account, a key, or a kind of background work. Work that has to wait is served party by party. */
  party: string
  /** The account whose data it uses. */
  account?: string
}

/**
 * Runs a unit of work. An outage rejects with `EngineUnavailable`. On SQLite, the work of a write must be synchronous: it
 * shares a transaction with others.
 */
export type RunUnit<Unit> = <Result>(
  work: (unit: Unit) => Result | Promise<Result>,
) => Promise<Result>

/** What the wiring needs of an engine. `Unit` is the connection of a unit of work; SQLite has only one. */
export interface Engine<Unit> {
  statements: Statements
  runner(use: Use): RunUnit<Unit>
  execute<Given extends Values, Result>(
    unit: Unit,
    statement: Statement<Given, Result>,
    values: Given,
  ): Result | Promise<Result>
  /** Runs the steps in one transaction. */
  transact<Result>(unit: Unit, writer: Writer, work: SharedWork<Result>): Result | Promise<Result>
}

/** Methods within one unit of work. Those of SQLite are synchronous. */
export type Within<Port, Name extends keyof Port> = {
  [Method in Name]: Port[Method] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result | Promise<Result>
    : never
}

/** A method that may have to run again: see `retryWhilePartial`. */
type Partly<Name extends 'reserveUpload' | 'resizeUpload'> = {
  [Method in Name]: (
    ...args: Parameters<AccountData[Method]>
  ) =>
    | Awaited<ReturnType<AccountData[Method]>>
    | PartialRoom
    | Promise<Awaited<ReturnType<AccountData[Method]>> | PartialRoom>
}

type Group<Name extends keyof AccountData> = Within<AccountData, Name>

/** The methods of an account that differ between the engines, in groups. */
export interface AccountMethods {
  uploads: Partly<'reserveUpload' | 'resizeUpload'> &
    Group<'recordStorageId' | 'dropReservation' | 'renewUpload'>
  uploadList: Group<'listUploads'>
  completion: Group<
    'beginCompletion' | 'reopenUpload' | 'finishCompletion' | 'abandonCompletion' | 'cancelUpload'
  >
  assets: Group<'addLink' | 'changeAsset' | 'deleteAsset'>
  assetList: Group<'listAssets' | 'selectAssets'>
  trash: Group<
    'beginTrashAll' | 'continueTrashAll' | 'importTrashAll' | 'emptyTrash' | 'removeOldestTrash'
  >
  trashList: Group<'listTrash' | 'selectTrash'>
  folderList: Group<'listFolders' | 'findLongPath'>
  folderMoves: Group<'beginFolderMove' | 'continueFolderMove' | 'importFolderMove'>
  bulkJobs: Group<'continueBulkJob' | 'selectProducts'>
  versions: Group<'restoreVersion' | 'deleteVersion'>
  productList: Group<'listProducts'>
  productGroups: Group<'listProductIds' | 'readProductGroups'>
  tags: Group<'listTags'>
  attachments: Group<'attachProducts' | 'detachProducts'>
  attachedRows: Group<
    'productsOfAssets' | 'productsOfAsset' | 'assetsOfProducts' | 'newestAssetsOf'
  >
  keys: Group<'addKey' | 'revokeKey'>
  uploadTokens: Group<'addUploadToken' | 'listUploadTokens' | 'revokeUploadToken'>
  once: Group<
    'addLinkOnce' | 'addKeyOnce' | 'addWebhookOnce' | 'addUploadTokenOnce' | 'putOrderOnce'
  >
  orderList: Group<'listOrders'>
  events: Group<'listEvents' | 'findEvents' | 'importEvents'>
  records: Group<'importRecords'>
  webhooks: Group<'addWebhook' | 'changeWebhook' | 'rotateSecret' | 'deleteWebhook'>
  deliveries: Group<'listDeliveries' | 'redeliver' | 'addPing' | 'importWebhooks'>
}

/** Methods that may write many rows, all or none. Each engine decides how their units of work run. */
export type BulkMethods = Pick<
  AccountData,
  | 'trashAssets'
  | 'deleteAssets'
  | 'restoreAssets'
  | 'attachAssets'
  | 'detachAssets'
  | 'moveAssets'
  | 'tagAssets'
  | 'untagAssets'
  | 'addBulkJob'
  | 'undoBulkJob'
  | 'putProducts'
  | 'addArchive'
  | 'continueProductDeletion'
>

/** A call creates only the group that it needs. */
export type AccountGroups<Unit> = {
  [Name in keyof AccountMethods]: (unit: Unit) => AccountMethods[Name]
} & { bulk: BulkMethods }

/** Creates the methods of an account: how each of them runs is the same in both engines. */
export function wireAccountData<Unit>(
  engine: Engine<Unit>,
  groupsOf: (writer: Writer) => AccountGroups<Unit>,
): (writer: Writer) => AccountData {
  const { statements } = engine
  return (writer) => {
    const { account } = writer
    const run = (kind: Kind) => engine.runner({ kind, party: account, account })
    const read = run('read')
    const write = run('write')
    const free = run('free')
    const groups = groupsOf(writer)
    const { uploads, completion, assets, trash, versions, attachments, attachedRows } = groups
    const { productGroups, keys, once, events, webhooks, deliveries } = groups

    const ask = <Given extends Values, Result>(
      statement: Statement<Given, Result>,
      values: Given,
    ): Promise<Result> => read((unit) => engine.execute(unit, statement, values))

    const transact =
      (runUnit: RunUnit<Unit>) =>
      <Result>(work: () => SharedWork<Result>): Promise<Result> =>
        runUnit((unit) => engine.transact(unit, writer, work()))

    return {
      ...groups.bulk,
      ...wireOrders(statements, account, { ask, write: transact(write), free: transact(free) }),
      ...wireMails(statements, account, { ask, write: transact(write), free: transact(free) }),
      listOrders: (query) => read((unit) => groups.orderList(unit).listOrders(query)),

      async readSummary() {
        const summary = await ask(statements.readSummary, { account })
        if (summary === undefined) throw new Error(`there is no account ${account}`)
        return summary
      },
      readUsage: () => ask(statements.readUsage, { account }),

      reserveUpload: (upload) =>
        retryWhilePartial(() => write((unit) => uploads(unit).reserveUpload(upload))),
      recordStorageId: (id, names) => write((unit) => uploads(unit).recordStorageId(id, names)),
      dropReservation: (id) => free((unit) => uploads(unit).dropReservation(id)),
      findUpload: (id) => ask(statements.findUpload, { account, id }),
      findReplacement: (asset, upload) =>
        ask(statements.findReplacement, { account, asset, upload }),
      listUploads: (query) => read((unit) => groups.uploadList(unit).listUploads(query)),
      renewUpload: (id, keptForMs) => write((unit) => uploads(unit).renewUpload(id, keptForMs)),
      resizeUpload: (id, bytes, options) =>
        retryWhilePartial(() => write((unit) => uploads(unit).resizeUpload(id, bytes, options))),

      beginCompletion: (id, options) =>
        write((unit) => completion(unit).beginCompletion(id, options)),
      reopenUpload: (id) => write((unit) => completion(unit).reopenUpload(id)),
      finishCompletion: (id, options) =>
        write((unit) => completion(unit).finishCompletion(id, options)),
      abandonCompletion: (id, graceMs) =>
        free((unit) => completion(unit).abandonCompletion(id, graceMs)),
      cancelUpload: (id) => free((unit) => completion(unit).cancelUpload(id)),

      findArchivedAssets: (ids) => ask(statements.findArchivedAssets, { account, ids }),
      findAsset: (id) => ask(statements.findAsset, { account, id }),
      listAssets: (query) => read((unit) => groups.assetList(unit).listAssets(query)),
      selectAssets: (query, limit) =>
        read((unit) => groups.assetList(unit).selectAssets(query, limit)),
      addLink: (asset) => write((unit) => assets(unit).addLink(asset)),
      changeAsset: (id, changes) => write((unit) => assets(unit).changeAsset(id, changes)),
      deleteAsset: (id) => free((unit) => assets(unit).deleteAsset(id)),

      listTrash: (query) => read((unit) => groups.trashList(unit).listTrash(query)),
      selectTrash: (query, limit) =>
        read((unit) => groups.trashList(unit).selectTrash(query, limit)),
      beginTrashAll: () => free((unit) => trash(unit).beginTrashAll()),
      continueTrashAll: () => free((unit) => trash(unit).continueTrashAll()),
      findTrashAll: () => ask(statements.findTrashAll, { account }),
      importTrashAll: (deletion) => write((unit) => trash(unit).importTrashAll(deletion)),
      emptyTrash: (until) => free((unit) => trash(unit).emptyTrash(until)),
      removeOldestTrash: (bytes) => free((unit) => trash(unit).removeOldestTrash(bytes)),

      listFolders: (query) => read((unit) => groups.folderList(unit).listFolders(query)),
      findLongPath: (folder, length) =>
        read((unit) => groups.folderList(unit).findLongPath(folder, length)),
      beginFolderMove: (move, options) =>
        write((unit) => groups.folderMoves(unit).beginFolderMove(move, options)),
      continueFolderMove: (id) => write((unit) => groups.folderMoves(unit).continueFolderMove(id)),
      listFolderMoves: () => ask(statements.listFolderMoves, { account }),
      listFolderMoveRecords: () => ask(statements.listFolderMoveRecords, { account }),
      importFolderMove: (record) =>
        write((unit) => groups.folderMoves(unit).importFolderMove(record)),

      continueBulkJob: (id) => free((unit) => groups.bulkJobs(unit).continueBulkJob(id)),
      selectProducts: (selection, limit) =>
        read((unit) => groups.bulkJobs(unit).selectProducts(selection, limit)),
      async cancelBulkJob(id) {
        await free((unit) => engine.execute(unit, statements.cancelBulkJob, { account, id }))
        return ask(statements.findBulkJob, { account, id })
      },
      findBulkJob: (id) => ask(statements.findBulkJob, { account, id }),
      listBulkJobs: () => ask(statements.listBulkJobs, { account }),
      listBulkJobRecords: () => ask(statements.listBulkJobRecords, { account }),
      listBulkBatches: (id, from, limit) =>
        ask(statements.listBulkBatches, { account, id, from, limit }),
      importBulkJob: (record) =>
        write((unit) =>
          engine.execute(unit, statements.importBulkJob, toBulkJobValues(account, record)),
        ),
      async importBulkBatches(id, batches) {
        await transact(write)(() => importBatches(statements, id, batches))
      },

      arrangeFiles: (product, ids) =>
        transact(write)(() => arrangeFiles(statements, { account, product, ids })),
      readFileOrder: (product) => ask(statements.readFileOrder, { account, product }),
      listFileOrders: (after, limit) => ask(statements.listFileOrders, { account, after, limit }),
      importFileOrder: ({ productId: product, assetIds: ids }) =>
        transact(write)(() => importFileOrder(statements, { account, product, ids })),

      async listVersions(id) {
        const found = await ask(statements.listVersions, { account, id })
        return found.length === 0 ? undefined : found
      },
      findServedVersion: (id) => ask(statements.findServedVersion, { account, id }),
      restoreVersion: (id, version) => write((unit) => versions(unit).restoreVersion(id, version)),
      deleteVersion: (id, version) => free((unit) => versions(unit).deleteVersion(id, version)),

      deleteProduct: (id) => untilDeleted(() => groups.bulk.continueProductDeletion(id)),
      findProduct: (id) => ask(statements.findProduct, { account, id }),
      handlesOfProducts: (ids) => ask(statements.handlesOfProducts, { account, ids }),
      listProducts: (query) => read((unit) => groups.productList(unit).listProducts(query)),
      listProductIds: (query) => read((unit) => productGroups(unit).listProductIds(query)),
      readProductGroups: (ids, options) =>
        read((unit) => productGroups(unit).readProductGroups(ids, options)),

      attachProducts: (id, selection) =>
        write((unit) => attachments(unit).attachProducts(id, selection)),
      detachProducts: (id, selection) =>
        write((unit) => attachments(unit).detachProducts(id, selection)),
      listTags: (query) => read((unit) => groups.tags(unit).listTags(query)),
      productsOfAssets: (ids, limit) =>
        read((unit) => attachedRows(unit).productsOfAssets(ids, limit)),
      productsOfAsset: (id, slice) => read((unit) => attachedRows(unit).productsOfAsset(id, slice)),
      assetsOfProducts: (ids, limit) =>
        read((unit) => attachedRows(unit).assetsOfProducts(ids, limit)),
      newestAssetsOf: (id, limit) => read((unit) => attachedRows(unit).newestAssetsOf(id, limit)),

      addKey: (key, maxKeys) => write((unit) => keys(unit).addKey(key, maxKeys)),
      listKeys: () => ask(statements.listKeys, { account }),
      revokeKey: (id, options) => free((unit) => keys(unit).revokeKey(id, options)),
      addUploadToken: (token, limits) =>
        write((unit) => groups.uploadTokens(unit).addUploadToken(token, limits)),
      listUploadTokens: (query) =>
        read((unit) => groups.uploadTokens(unit).listUploadTokens(query)),
      findOwnUploadToken: (id) => ask(statements.findOwnUploadToken, { account, id }),
      revokeUploadToken: (id) => free((unit) => groups.uploadTokens(unit).revokeUploadToken(id)),

      addLinkOnce: (given, asset) => write((unit) => once(unit).addLinkOnce(given, asset)),
      addKeyOnce: (given, key, max) => write((unit) => once(unit).addKeyOnce(given, key, max)),
      addWebhookOnce: (given, webhook, max) =>
        write((unit) => once(unit).addWebhookOnce(given, webhook, max)),
      addUploadTokenOnce: (given, token, limits) =>
        write((unit) => once(unit).addUploadTokenOnce(given, token, limits)),
      putOrderOnce: (given, order) => write((unit) => once(unit).putOrderOnce(given, order)),

      listEvents: (query) => read((unit) => events(unit).listEvents(query)),
      findEvents: (search) => read((unit) => events(unit).findEvents(search)),
      async firstEventSince(time) {
        const first = await ask(statements.firstEventSince, { account, time })
        if (first === undefined) throw new Error(`there is no account ${account}`)
        return first
      },
      importEvents: (page) => write((unit) => events(unit).importEvents(page)),
      importRecords: (imported) => write((unit) => groups.records(unit).importRecords(imported)),

      addWebhook: (webhook, max) => write((unit) => webhooks(unit).addWebhook(webhook, max)),
      listWebhooks: () => ask(statements.listWebhooks, { account }),
      findWebhook: (id) => ask(statements.findWebhook, { account, id }),
      changeWebhook: (id, changes, now) =>
        write((unit) => webhooks(unit).changeWebhook(id, changes, now)),
      rotateSecret: (id, rotation) => write((unit) => webhooks(unit).rotateSecret(id, rotation)),
      deleteWebhook: (id) => free((unit) => webhooks(unit).deleteWebhook(id)),

      listDeliveries: (id, query) => read((unit) => deliveries(unit).listDeliveries(id, query)),
      findDelivery: (webhook, id) => ask(statements.findDelivery, { account, webhook, id }),
      redeliver: (webhookId, id) => write((unit) => deliveries(unit).redeliver(webhookId, id)),
      addPing: (delivery, claim) => write((unit) => deliveries(unit).addPing(delivery, claim)),
      importWebhooks: (imported) => write((unit) => deliveries(unit).importWebhooks(imported)),
    }
  }
}

function* importBatches(
  statements: Statements,
  id: string,
  batches: BulkBatchRecord[],
): SharedWork<void> {
  for (const batch of batches) yield* runStatement(statements.importBulkBatch, { id, ...batch })
}
