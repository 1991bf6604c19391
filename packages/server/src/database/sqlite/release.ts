import type { UploadEventType } from '../../domain/event.ts'
import type { Removal } from '../database.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

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
