import { prepareRecordEvents } from './record-events.ts'
import { prepareQueueRemoval } from './release.ts'
import type { UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

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
