import type { UploadEventType } from '../../domain/event.ts'
import type { Removal } from '../database.ts'
import { REPLACED_OBJECT_KEPT_MS } from '../shared/claim-times.ts'
import { isWithheld } from '../shared/statements.ts'
import type { Room, Writer } from '../shared/wire-account-data.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { UPLOAD_COLUMNS, type UploadRow } from './rows.ts'

/** Makes room in the plan of an account, in the caller's transaction. */
export function prepareMakeRoom(connection: Connection) {
  const { prepare } = connection
  const { dropOldestSuperseded } = prepareSuperseded(connection)
  const purgeOldest = preparePurgeOldest(connection)
  const excess = prepare<{ bytes: number }>(
    `select stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + :needed - plan_storage as bytes
     from accounts where id = :account and stored_bytes + reserved_bytes + :needed <= plan_storage`,
  )

  /**
   * The objects of versions that are no longer kept are removed first, then the oldest assets in the trash.
   * Nothing is removed if the bytes would not fit even then.
   */
  return (writer: Writer, needed: number): Room => {
    const { account } = writer
    const row = excess.get({ account, needed })
    if (row === undefined) return 'none'
    const over = row.bytes - dropOldestSuperseded(account, row.bytes)
    if (over <= 0) return 'made'
    const { freed, count } = purgeOldest(writer, over)
    if (freed >= over) return 'made'
    return count === TRASH_BATCH ? 'partial' : 'none'
  }
}

interface RemovedObject {
  key: string
  storageId: string | null
}

/** Queues an upload or object for removal from the storage, in the caller's transaction. */
export function prepareQueueRemoval({ prepare }: Connection) {
  const insert = prepare(
    `insert into removals (kind, storage_id, key, due_at)
     values (:kind, :storage_id, :key, :now)`,
  )
  return (kind: Removal['kind'], { key, storageId }: RemovedObject): void => {
    insert.run({ kind, storage_id: storageId ?? key, key, now: Date.now() })
  }
}

/**
 * Releases an upload that ended unfinished: its reserved bytes, its attachments, and its data in the storage. Records the
 * event.
 */
export function prepareRelease(connection: Connection) {
  const queueRemoval = prepareQueueRemoval(connection)
  const { recordUpload } = prepareRecordEvents(connection)
  const free = connection.prepare(
    'update accounts set reserved_bytes = reserved_bytes - :bytes where id = :account',
  )
  const detach = connection.prepare('delete from asset_products where asset_seq = :seq')
  return (actor: string, type: UploadEventType, row: UploadRow): void => {
    free.run({ account: row.account_id, bytes: row.bytes })
    detach.run({ seq: row.seq })
    queueRemoval('upload', { key: row.id, storageId: row.storage_id ?? row.upload_id })
    recordUpload({ account: row.account_id, actor }, type, row)
  }
}

/**
 * Removes the oldest files in the trash until `bytes` are freed, at most `TRASH_BATCH` files, in the caller's
 * transaction.
 * Returns the bytes that it freed, and the number of files.
 */
export function preparePurgeOldest(connection: Connection) {
  const { prepare } = connection
  const purge = preparePurge(connection)
  const oldest = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets
     where account_id = :account and trashed_at is not null and kind = 'file'
     order by trashed_at, id limit ${TRASH_BATCH}`,
  )

  return (writer: Writer, bytes: number): { freed: number; count: number } => {
    const { account, actor } = writer
    let freed = 0
    let count = 0
    for (const asset of oldest.all({ account })) {
      if (freed >= bytes) break
      freed += purge(actor, asset)
      count += 1
    }
    return { freed, count }
  }
}

/**
 * Permanently removes an asset from the trash, in the caller's transaction: its bytes, its versions, its attachments
 * and its objects. Returns the number of its bytes.
 */
export function preparePurge(connection: Connection) {
  const { prepare } = connection
  const queueRemoval = prepareQueueRemoval(connection)
  const { recordAsset } = prepareRecordEvents(connection)
  const end = prepare('update assets set trashed_at = null, changed_at = :now where seq = :seq')
  const removeVersions = prepare<{ object_key: string; storage_id: string | null; bytes: number }>(
    'delete from asset_versions where asset_id = :id returning object_key, storage_id, bytes',
  )
  const forgetAttachments = prepare('delete from trashed_attachments where asset_id = :id')
  const uncount = prepare(
    'update accounts set trash_bytes = trash_bytes - :bytes where id = :account',
  )

  return (actor: string, row: UploadRow): number => {
    end.run({ seq: row.seq, now: Date.now() })
    recordAsset({ account: row.account_id, actor }, 'asset.removed', row.seq)
    forgetAttachments.run({ id: row.id })
    // A link uses no storage.
    if (row.kind === 'link') return 0
    queueRemoval('object', {
      key: row.object_key ?? row.id,
      storageId: row.storage_id ?? row.upload_id,
    })
    let bytes = row.bytes
    for (const version of removeVersions.all({ id: row.id })) {
      queueRemoval('object', { key: version.object_key, storageId: version.storage_id })
      bytes += version.bytes
    }
    uncount.run({ account: row.account_id, bytes })
    return bytes
  }
}

interface SupersededVersion {
  version: number
  object_key: string
  storage_id: string | null
  filename: string
  bytes: number
  mime: string
  created_at: number
  trashed: number
}

/** Versions that are no longer kept, but whose objects downloads may still need. Runs in the caller's transaction. */
export function prepareSuperseded(connection: Connection) {
  const { prepare } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  // Downloads get the last version that is not withheld, unless the current version is not withheld.
  const removeOldest = prepare<SupersededVersion>(
    `delete from asset_versions where asset_id = :id and version in (
       select version from asset_versions where asset_id = :id
       order by replaced_in desc limit -1 offset :keep)
     and version is not (
       select v.version from asset_versions v
       where v.asset_id = :id and not ${isWithheld('v.object_key')} and exists (
         select 1 from assets where id = :id and ${isWithheld('coalesce(assets.object_key, assets.id)')})
       order by v.replaced_in desc limit 1)
     returning version, object_key, storage_id, filename, bytes, mime, created_at, trashed`,
  )
  const queue = prepare(
    `insert into removals (kind, storage_id, key, due_at, account_id, bytes)
     values ('object', :storage_id, :key, :due_at, :account, :bytes)`,
  )
  const count = prepare(
    `update accounts set stored_bytes = stored_bytes - iif(:trashed, 0, :bytes),
       trash_bytes = trash_bytes - iif(:trashed, :bytes, 0),
       superseded_bytes = superseded_bytes + :bytes where id = :account`,
  )
  const uncount = prepare(
    'update accounts set superseded_bytes = superseded_bytes - :bytes where id = :account',
  )
  const oldest = prepare<{ id: number; bytes: number }>(
    'select id, bytes from removals where account_id = :account order by id limit 1',
  )
  const makeDue = prepare(
    'update removals set due_at = :now, account_id = null, bytes = null where id = :id',
  )

  return {
    /**
     * Removes the older versions of an asset, which may be in the trash, except for the `keep` that were replaced last,
     * and the one that downloads get. Their bytes are available immediately, and their objects are removed after an hour.
     * Records an event for each, the lowest number first.
     */
    supersedeOldest(writer: Writer, assetId: string, keep: number): void {
      const { account } = writer
      const due_at = Date.now() + REPLACED_OBJECT_KEPT_MS
      const removed = removeOldest.all({ id: assetId, keep })
      for (const row of removed.sort((one, other) => one.version - other.version)) {
        const { object_key: key, storage_id, bytes, trashed } = row
        count.run({ account, bytes, trashed })
        queue.run({ storage_id: storage_id ?? key, key, due_at, account, bytes })
        const { version, filename, mime, created_at: createdAt } = row
        const deleted = { assetId, version, filename, bytes, mime, createdAt }
        recordEvent(writer, 'version.deleted', deleted)
      }
    },

    /** The object was removed. */
    uncountSuperseded(account: string, bytes: number): void {
      uncount.run({ account, bytes })
    },

    /** Makes as many of the oldest removals due as are needed to free the bytes. Returns the number of freed bytes. */
    dropOldestSuperseded(account: string, bytes: number): number {
      let freed = 0
      while (freed < bytes) {
        const removal = oldest.get({ account })
        if (removal === undefined) break
        makeDue.run({ id: removal.id, now: Date.now() })
        uncount.run({ account, bytes: removal.bytes })
        freed += removal.bytes
      }
      return freed
    },
  }
}
