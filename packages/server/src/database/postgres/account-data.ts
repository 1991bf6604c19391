import type { AccountData } from '../account-data.ts'
import type { AccountWebhookData, DeliveryData } from '../event-data.ts'
import { retryWhilePartial, type Writer } from '../shared/wiring.ts'
import { accountSummary, accountUsage } from './accounts.ts'
import { accountAssetList, type ListingCaches } from './asset-list.ts'
import { accountAssets } from './assets.ts'
import { accountAttachedRows, accountAttachments } from './attachments.ts'
import { accountCompletion } from './completion.ts'
import type { Sql } from './connection.ts'
import { deliveryQueue, webhookAttempts } from './delivery-queue.ts'
import { accountEvents } from './events.ts'
import { accountKeys } from './keys.ts'
import { accountProductGroups, accountProductList } from './product-list.ts'
import { accountProducts, accountPutProducts } from './products.ts'
import { accountRecords } from './records.ts'
import { accountTrash, accountTrashList } from './trash.ts'
import type { RunUnit, UnitsOfWork } from './unit-of-work.ts'
import { accountUploadTokens } from './upload-tokens.ts'
import { accountUploadList, accountUploads } from './uploads.ts'
import { accountVersions } from './versions.ts'
import { accountDeliveries, accountWebhooks } from './webhooks.ts'

/** The methods of one account. Each call creates only the group of methods that it needs. */
export function accountData(
  units: UnitsOfWork,
  writer: Writer,
  caches: ListingCaches,
): AccountData {
  const { account } = writer
  const read = units({ party: account, kind: 'read' })
  const write = units({ party: account, kind: 'write' })
  const assets = (sql: Sql) => accountAssets(sql, writer)
  const assetList = (sql: Sql) => accountAssetList(sql, account, caches)
  const completion = (sql: Sql) => accountCompletion(sql, writer)
  const events = (sql: Sql) => accountEvents(sql, account)
  const keys = (sql: Sql) => accountKeys(sql, writer)
  const attachedRows = (sql: Sql) => accountAttachedRows(sql, account)
  const attachments = (sql: Sql) => accountAttachments(sql, writer)
  const productGroups = (sql: Sql) => accountProductGroups(sql, account)
  const productList = (sql: Sql) => accountProductList(sql, account)
  const products = (sql: Sql) => accountProducts(sql, writer)
  const putProducts = (sql: Sql) => accountPutProducts(sql, writer)
  const records = (sql: Sql) => accountRecords(sql, account)
  const summary = (sql: Sql) => accountSummary(sql, account)
  const trash = (sql: Sql) => accountTrash(sql, writer)
  const trashList = (sql: Sql) => accountTrashList(sql, account)
  const uploadList = (sql: Sql) => accountUploadList(sql, account)
  const uploads = (sql: Sql) => accountUploads(sql, writer)
  const usage = (sql: Sql) => accountUsage(sql, account)
  const versions = (sql: Sql) => accountVersions(sql, writer)
  return {
    ...accountWebhookData({ read, write }, writer),
    readSummary: () => read((sql) => summary(sql).readSummary()),
    readUsage: () => read((sql) => usage(sql).readUsage()),

    reserveUpload: (upload) =>
      retryWhilePartial(() => write((sql) => uploads(sql).reserveUpload(upload))),
    recordStorageId: (id, names) => write((sql) => uploads(sql).recordStorageId(id, names)),
    dropReservation: (id) => write((sql) => uploads(sql).dropReservation(id)),
    findUpload: (id) => read((sql) => uploads(sql).findUpload(id)),
    findReplacement: (id, uploadId) => read((sql) => uploads(sql).findReplacement(id, uploadId)),
    listUploads: (query) => read((sql) => uploadList(sql).listUploads(query)),
    renewUpload: (id, keptForMs) => write((sql) => uploads(sql).renewUpload(id, keptForMs)),
    resizeUpload: (id, bytes, options) =>
      retryWhilePartial(() => write((sql) => uploads(sql).resizeUpload(id, bytes, options))),

    beginCompletion: (id, options) => write((sql) => completion(sql).beginCompletion(id, options)),
    reopenUpload: (id) => write((sql) => completion(sql).reopenUpload(id)),
    finishCompletion: (id, options) =>
      write((sql) => completion(sql).finishCompletion(id, options)),
    abandonCompletion: (id, graceMs) =>
      write((sql) => completion(sql).abandonCompletion(id, graceMs)),
    cancelUpload: (id) => write((sql) => completion(sql).cancelUpload(id)),

    findAsset: (id) => read((sql) => assets(sql).findAsset(id)),
    listAssets: (query) => read((sql) => assetList(sql).listAssets(query)),
    addLink: (asset) => write((sql) => assets(sql).addLink(asset)),
    changeAsset: (id, change) => write((sql) => assets(sql).changeAsset(id, change)),
    deleteAsset: (id) => write((sql) => assets(sql).deleteAsset(id)),

    trashAssets: (ids) => write((sql) => trash(sql).trashAssets(ids)),
    deleteAssets: (ids) => write((sql) => trash(sql).deleteAssets(ids)),
    restoreAssets: (ids) => write((sql) => trash(sql).restoreAssets(ids)),
    attachAssets: (ids, selection) => write((sql) => attachments(sql).attachAssets(ids, selection)),
    detachAssets: (ids, selection) => write((sql) => attachments(sql).detachAssets(ids, selection)),
    listTrash: (query) => read((sql) => trashList(sql).listTrash(query)),
    beginTrashAll: () => write((sql) => trash(sql).beginTrashAll()),
    continueTrashAll: () => write((sql) => trash(sql).continueTrashAll()),
    findTrashAll: () => read((sql) => trash(sql).findTrashAll()),
    importTrashAll: (deletion) => write((sql) => trash(sql).importTrashAll(deletion)),
    emptyTrash: (until) => write((sql) => trash(sql).emptyTrash(until)),
    removeOldestTrash: (bytes) => write((sql) => trash(sql).removeOldestTrash(bytes)),

    listVersions: (id) => read((sql) => versions(sql).listVersions(id)),
    findServedVersion: (id) => read((sql) => versions(sql).findServedVersion(id)),
    restoreVersion: (id, version) => write((sql) => versions(sql).restoreVersion(id, version)),
    deleteVersion: (id, version) => write((sql) => versions(sql).deleteVersion(id, version)),

    putProducts: (list, options) => write((sql) => putProducts(sql).putProducts(list, options)),
    findProduct: (id) => read((sql) => products(sql).findProduct(id)),
    listProducts: (query) => read((sql) => productList(sql).listProducts(query)),
    listProductIds: (query) => read((sql) => productGroups(sql).listProductIds(query)),
    readProductGroups: (ids, options) =>
      read((sql) => productGroups(sql).readProductGroups(ids, options)),
    deleteProduct: (id) => write((sql) => products(sql).deleteProduct(id)),

    attachProducts: (id, selection) =>
      write((sql) => attachments(sql).attachProducts(id, selection)),
    detachProducts: (id, selection) =>
      write((sql) => attachments(sql).detachProducts(id, selection)),
    productsOfAssets: (ids, limit) => read((sql) => attachedRows(sql).productsOfAssets(ids, limit)),
    productsOfAsset: (id, slice) => read((sql) => attachedRows(sql).productsOfAsset(id, slice)),
    assetsOfProducts: (ids, limit) => read((sql) => attachedRows(sql).assetsOfProducts(ids, limit)),
    newestAssetsOf: (id, limit) => read((sql) => attachedRows(sql).newestAssetsOf(id, limit)),

    addKey: (key, maxKeys) => write((sql) => keys(sql).addKey(key, maxKeys)),
    listKeys: () => read((sql) => keys(sql).listKeys()),
    revokeKey: (id, options) => write((sql) => keys(sql).revokeKey(id, options)),

    addUploadToken: (token, limits) =>
      write((sql) => accountUploadTokens(sql, writer).addUploadToken(token, limits)),
    listEvents: (query) => read((sql) => events(sql).listEvents(query)),
    importEvents: (page) => write((sql) => events(sql).importEvents(page)),

    importRecords: (imported) => write((sql) => records(sql).importRecords(imported)),
  }
}

/** The methods for the webhooks of one account. */
function accountWebhookData(
  { read, write }: { read: RunUnit; write: RunUnit },
  writer: Writer,
): AccountWebhookData {
  const { account } = writer
  const webhooks = (sql: Sql) => accountWebhooks(sql, writer)
  const deliveries = (sql: Sql) => accountDeliveries(sql, account)
  return {
    addWebhook: (webhook, max) => write((sql) => webhooks(sql).addWebhook(webhook, max)),
    listWebhooks: () => read((sql) => webhooks(sql).listWebhooks()),
    findWebhook: (id) => read((sql) => webhooks(sql).findWebhook(id)),
    changeWebhook: (id, change, now) =>
      write((sql) => webhooks(sql).changeWebhook(id, change, now)),
    rotateSecret: (id, rotation) => write((sql) => webhooks(sql).rotateSecret(id, rotation)),
    deleteWebhook: (id) => write((sql) => webhooks(sql).deleteWebhook(id)),

    listDeliveries: (id, query) => read((sql) => deliveries(sql).listDeliveries(id, query)),
    findDelivery: (webhookId, id) => read((sql) => deliveries(sql).findDelivery(webhookId, id)),
    redeliver: (webhookId, id) => write((sql) => deliveries(sql).redeliver(webhookId, id)),
    addPing: (delivery, claim) => write((sql) => deliveries(sql).addPing(delivery, claim)),
    importWebhooks: (imported) => write((sql) => deliveries(sql).importWebhooks(imported)),
  }
}

/** The methods for the deliveries of all accounts. */
export function deliveryData(run: RunUnit): DeliveryData {
  return {
    listWebhooksBehind: (options) => run((sql) => deliveryQueue(sql).listWebhooksBehind(options)),
    listEventTypes: (account, after, limit) =>
      run((sql) => deliveryQueue(sql).listEventTypes(account, after, limit)),
    addDeliveries: (id, range, deliveries) =>
      run((sql) => deliveryQueue(sql).addDeliveries(id, range, deliveries)),
    claimDeliveries: (health, times, limits) =>
      run((sql) => deliveryQueue(sql).claimDeliveries(health, times, limits)),
    nextDeliveryAt: (health) => run((sql) => deliveryQueue(sql).nextDeliveryAt(health)),
    renewClaims: (claimed, until) => run((sql) => deliveryQueue(sql).renewClaims(claimed, until)),
    releaseClaim: (claimed) => run((sql) => deliveryQueue(sql).releaseClaim(claimed)),
    recordAttempt: (claimed, result) =>
      run((sql) => webhookAttempts(sql).recordAttempt(claimed, result)),
    forgetDeliveries: (before, limit) =>
      run((sql) => webhookAttempts(sql).forgetDeliveries(before, limit)),
    trimDeliveries: (id, options) => run((sql) => webhookAttempts(sql).trimDeliveries(id, options)),
    listAllWebhooks: (after, limit) =>
      run((sql) => deliveryQueue(sql).listAllWebhooks(after, limit)),
    replaceSecrets: (id, expected, secrets) =>
      run((sql) => deliveryQueue(sql).replaceSecrets(id, expected, secrets)),
    listAllDeliveries: (id, after, limit) =>
      run((sql) => deliveryQueue(sql).listAllDeliveries(id, after, limit)),
  }
}
