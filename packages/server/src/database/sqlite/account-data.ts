import type { AccountData } from '../account-data.ts'
import type { AccountWebhookData, DeliveryData } from '../event-data.ts'
import { createStepQueue } from '../shared/time-slicer.ts'
import { retryWhilePartial, type Writer } from '../shared/wiring.ts'
import { prepareAccounts, prepareUsage } from './accounts.ts'
import { prepareAssetList } from './asset-list.ts'
import { prepareAssets } from './assets.ts'
import { prepareAttachedRows, prepareAttachments } from './attachments.ts'
import { prepareCompletion } from './completion.ts'
import type { Connection, SnapshotReader } from './connection.ts'
import { prepareAttempts, prepareDeliveryQueue } from './delivery-queue.ts'
import { prepareEvents } from './events.ts'
import { prepareKeys } from './keys.ts'
import { prepareProductGroups, prepareProductList } from './product-list.ts'
import { type PutProducts, prepareProducts } from './products.ts'
import { prepareRecords } from './records.ts'
import { prepareTrash, prepareTrashList } from './trash.ts'
import type { UnitsOfWork } from './unit-of-work.ts'
import { prepareUploadTokens } from './upload-tokens.ts'
import { prepareUploadList, prepareUploads } from './uploads.ts'
import { prepareVersions } from './versions.ts'
import { prepareDeliveries, prepareWebhooks } from './webhooks.ts'

/** Prepares the methods of accounts. */
export function prepareAccountData(
  connection: Connection,
  { putProducts, snapshots }: { putProducts: PutProducts; snapshots: SnapshotReader },
  run: UnitsOfWork,
): (writer: Writer) => AccountData {
  const longReads = { snapshots, runStep: createStepQueue() }
  const webhooks = prepareAccountWebhookData(connection, run)
  const accounts = prepareAccounts(connection)
  const usage = prepareUsage(connection)
  const uploads = prepareUploads(connection)
  const uploadTokens = prepareUploadTokens(connection)
  const uploadList = prepareUploadList(connection, longReads)
  const completion = prepareCompletion(connection)
  const assets = prepareAssets(connection)
  const assetList = prepareAssetList(connection, longReads)
  const products = prepareProducts(connection)
  const productList = prepareProductList(connection, longReads)
  const productGroups = prepareProductGroups(connection, longReads)
  const attachments = prepareAttachments(connection)
  const attachedRows = prepareAttachedRows(connection)
  const events = prepareEvents(connection)
  const keys = prepareKeys(connection)
  const records = prepareRecords(connection)
  const versions = prepareVersions(connection)
  const trash = prepareTrash(connection)
  const trashList = prepareTrashList(connection, longReads)

  return (writer) => {
    const { account } = writer
    const { read, write, free, ownTransaction } = run.of(account)
    return {
      ...webhooks(writer),
      readSummary: () => read(() => accounts.readSummary(account)),
      readUsage: () => read(() => usage.readUsage(account)),

      reserveUpload: (upload) =>
        retryWhilePartial(() => write(() => uploads.reserveUpload(writer, upload))),
      recordStorageId: (id, names) => write(() => uploads.recordStorageId(account, id, names)),
      dropReservation: (id) => free(() => uploads.dropReservation(writer, id)),
      findUpload: (id) => read(() => uploads.findUpload(account, id)),
      findReplacement: (id, uploadId) => read(() => uploads.findReplacement(account, id, uploadId)),
      listUploads: (query) => read(() => uploadList.listUploads(account, query)),
      renewUpload: (id, keptForMs) => write(() => uploads.renewUpload(account, id, keptForMs)),
      resizeUpload: (id, bytes, options) =>
        retryWhilePartial(() =>
          write(() => uploads.resizeUpload(writer, { id, bytes, ...options })),
        ),

      beginCompletion: (id, options) =>
        write(() => completion.beginCompletion(account, id, options)),
      reopenUpload: (id) => write(() => completion.reopenUpload(account, id)),
      finishCompletion: (id, options) =>
        write(() => completion.finishCompletion(writer, id, options)),
      abandonCompletion: (id, graceMs) =>
        free(() => completion.abandonCompletion(writer, id, graceMs)),
      cancelUpload: (id) => free(() => completion.cancelUpload(writer, id)),

      findAsset: (id) => read(() => assets.findAsset(account, id)),
      listAssets: (query) => read(() => assetList.listAssets(account, query)),
      addLink: (asset) => write(() => assets.addLink(writer, asset)),
      changeAsset: (id, change) => write(() => assets.changeAsset(writer, id, change)),
      deleteAsset: (id) => free(() => assets.deleteAsset(writer, id)),

      trashAssets: (ids) => free(() => trash.trashAssets(writer, ids)),
      deleteAssets: (ids) => free(() => trash.deleteAssets(writer, ids)),
      restoreAssets: (ids) => write(() => trash.restoreAssets(writer, ids)),
      attachAssets: (ids, selection) =>
        write(() => attachments.attachAssets(writer, ids, selection)),
      detachAssets: (ids, selection) =>
        write(() => attachments.detachAssets(writer, ids, selection)),
      listTrash: (query) => read(() => trashList.listTrash(account, query)),
      beginTrashAll: () => free(() => trash.beginTrashAll(writer)),
      continueTrashAll: () => free(() => trash.continueTrashAll(writer)),
      findTrashAll: () => read(() => trash.findTrashAll(account)),
      importTrashAll: (deletion) => write(() => trash.importTrashAll(account, deletion)),
      emptyTrash: (until) => free(() => trash.emptyTrash(writer, until)),
      removeOldestTrash: (bytes) => free(() => trash.removeOldestTrash(writer, bytes)),

      listVersions: (id) => read(() => versions.listVersions(account, id)),
      findServedVersion: (id) => read(() => versions.findServedVersion(account, id)),
      restoreVersion: (id, version) => write(() => versions.restoreVersion(writer, id, version)),
      deleteVersion: (id, version) => free(() => versions.deleteVersion(writer, id, version)),

      putProducts: (list, options) =>
        ownTransaction(() => putProducts.putProducts(writer, list, options)),
      findProduct: (id) => read(() => products.findProduct(account, id)),
      listProducts: (query) => read(() => productList.listProducts(account, query)),
      listProductIds: (query) => read(() => productGroups.listProductIds(account, query)),
      readProductGroups: (ids, options) =>
        read(() => productGroups.readProductGroups(account, ids, options)),
      deleteProduct: (id) => free(() => products.deleteProduct(writer, id)),

      attachProducts: (id, selection) =>
        write(() => attachments.attachProducts(writer, id, selection)),
      detachProducts: (id, selection) =>
        write(() => attachments.detachProducts(writer, id, selection)),
      productsOfAssets: (ids, limit) =>
        read(() => attachedRows.productsOfAssets(account, ids, limit)),
      productsOfAsset: (id, slice) => read(() => attachedRows.productsOfAsset(account, id, slice)),
      assetsOfProducts: (ids, limit) =>
        read(() => attachedRows.assetsOfProducts(account, ids, limit)),
      newestAssetsOf: (id, limit) => read(() => attachedRows.newestAssetsOf(account, id, limit)),

      addKey: (key, maxKeys) => write(() => keys.addKey(writer, key, maxKeys)),
      listKeys: () => read(() => keys.listKeys(account)),
      revokeKey: (id, options) => free(() => keys.revokeKey(writer, id, options)),

      addUploadToken: (token, limits) =>
        write(() => uploadTokens.addUploadToken(writer, token, limits)),

      listEvents: (query) => read(() => events.listEvents(account, query)),
      importEvents: (page) => write(() => events.importEvents(account, page)),

      importRecords: (imported) => write(() => records.importRecords(account, imported)),
    }
  }
}

/** The methods for the webhooks of one account. */
function prepareAccountWebhookData(
  connection: Connection,
  run: UnitsOfWork,
): (writer: Writer) => AccountWebhookData {
  const webhooks = prepareWebhooks(connection)
  const deliveries = prepareDeliveries(connection)
  return (writer) => {
    const { read, write, free } = run.of(writer.account)
    return {
      addWebhook: (webhook, max) => write(() => webhooks.addWebhook(writer, webhook, max)),
      listWebhooks: () => read(() => webhooks.listWebhooks(writer.account)),
      findWebhook: (id) => read(() => webhooks.findWebhook(writer.account, id)),
      changeWebhook: (id, change, now) =>
        write(() => webhooks.changeWebhook(writer, id, change, now)),
      rotateSecret: (id, rotation) => write(() => webhooks.rotateSecret(writer, id, rotation)),
      deleteWebhook: (id) => free(() => webhooks.deleteWebhook(writer, id)),

      listDeliveries: (id, query) =>
        read(() => deliveries.listDeliveries(writer.account, id, query)),
      findDelivery: (webhookId, id) =>
        read(() => deliveries.findDelivery(writer.account, webhookId, id)),
      redeliver: (webhookId, id) =>
        write(() => deliveries.redeliver(writer.account, webhookId, id)),
      addPing: (delivery, claim) =>
        write(() => deliveries.addPing(writer.account, delivery, claim)),
      importWebhooks: (imported) =>
        write(() => deliveries.importWebhooks(writer.account, imported)),
    }
  }
}

/** The methods for the deliveries of all accounts. */
export function prepareDeliveryData(
  connection: Connection,
  { read, write, free }: UnitsOfWork,
): DeliveryData {
  const queue = prepareDeliveryQueue(connection)
  const attempts = prepareAttempts(connection)
  return {
    listWebhooksBehind: (options) => read(() => queue.listWebhooksBehind(options)),
    listEventTypes: (account, after, limit) =>
      read(() => queue.listEventTypes(account, after, limit)),
    addDeliveries: (id, range, deliveries) =>
      write(() => queue.addDeliveries(id, range, deliveries)),
    async claimDeliveries(health, times, limits) {
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (!(await read(() => queue.isAnyDue(times.now)))) return []
      return write(() => queue.claimDeliveries(health, times, limits))
    },
    nextDeliveryAt: (health) => read(() => queue.nextDeliveryAt(health)),
    renewClaims: (claimed, until) => write(() => queue.renewClaims(claimed, until)),
    releaseClaim: (claimed) => write(() => queue.releaseClaim(claimed)),
    recordAttempt: (claimed, result) => write(() => attempts.recordAttempt(claimed, result)),
    forgetDeliveries: (before, limit) => free(() => attempts.forgetDeliveries(before, limit)),
    trimDeliveries: (id, options) => free(() => attempts.trimDeliveries(id, options)),
    listAllWebhooks: (after, limit) => read(() => queue.listAllWebhooks(after, limit)),
    replaceSecrets: (id, expected, secrets) =>
      write(() => queue.replaceSecrets(id, expected, secrets)),
    listAllDeliveries: (id, after, limit) => read(() => queue.listAllDeliveries(id, after, limit)),
  }
}
