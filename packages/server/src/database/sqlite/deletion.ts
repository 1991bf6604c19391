import type { Upload } from '../../domain/asset.ts'
import { preparePurge } from './purge.ts'
import { prepareRecordEvents } from './record-events.ts'
import { prepareReplacements } from './replacements.ts'
import type { UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

/** The row of an asset that is ready or in the trash. The rows of replacements are neither. */
export const DELETABLE = `(status = 'ready' or trashed_at is not null)`

/**
 * Excepts assets that just became ready from an unfinished deletion of all assets, which was requested before. Call it
 * in the transaction that makes them ready.
 */
export function prepareExcept({ prepare }: Connection) {
  const insert = prepare(
    `insert or ignore into trash_exceptions (account_id, asset_id)
     select :account, value from json_each(:ids)
     where value <= (select trash_until from accounts where id = :account)`,
  )

  return (account: string, ids: string[]): void => {
    insert.run({ account, ids: JSON.stringify(ids) })
  }
}

/** Deletes assets, in the caller's transaction. Both functions return the unfinished replacement that was cancelled. */
export function prepareDeletion(connection: Connection) {
  const { prepare } = connection
  const purge = preparePurge(connection)
  const { cancelReplacement } = prepareReplacements(connection)
  const { recordAsset } = prepareRecordEvents(connection)
  const keepAttachments = prepare(
    `insert into trashed_attachments (asset_id, product_id)
     select :id, p.id from asset_products l join products p on p.seq = l.product_seq
     where l.asset_seq = :seq`,
  )
  const detach = prepare('delete from asset_products where asset_seq = :seq')
  const unindexName = prepare('delete from asset_names where rowid = :seq')
  const end = prepare(
    `update assets set status = 'deleted', changed_at = :now, trashed_at = :now, linked = 0
     where seq = :seq`,
  )
  const trashVersions = prepare<{ bytes: number }>(
    'update asset_versions set trashed = 1 where asset_id = :id returning bytes',
  )
  const count = prepare(
    `update accounts set asset_count = asset_count - 1, stored_bytes = stored_bytes - :bytes,
       trash_bytes = trash_bytes + :bytes
     where id = :account`,
  )

  /** Moves a ready asset to the trash. */
  function moveToTrash(actor: string, row: UploadRow): Upload | undefined {
    const { seq, id, account_id: account } = row
    // A link uses no storage, and has neither versions nor replacements.
    const isFile = row.kind === 'file'
    const replacement = isFile ? cancelReplacement(actor, id) : undefined
    keepAttachments.run({ id, seq })
    detach.run({ seq })
    unindexName.run({ seq })
    end.run({ seq, now: Date.now() })
    const versions = isFile ? trashVersions.all({ id }) : []
    const bytes = versions.reduce((sum, version) => sum + version.bytes, isFile ? row.bytes : 0)
    count.run({ account, bytes })
    recordAsset({ account, actor }, 'asset.deleted', seq)
    return replacement
  }

  return {
    moveToTrash,

    /** Deletes an asset that is ready or in the trash. */
    deletePermanently(actor: string, row: UploadRow): Upload | undefined {
      const replacement = row.status === 'ready' ? moveToTrash(actor, row) : undefined
      purge(actor, row)
      return replacement
    },
  }
}
