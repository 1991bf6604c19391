import { foldText } from '../../domain/search-text.ts'
import type { UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

/** Restores assets in the trash, in the caller's transaction. */
export function prepareRestoreRows({ prepare }: Connection) {
  const versionBytes = prepare<{ bytes: number }>(
    'select coalesce(sum(bytes), 0) as bytes from asset_versions where asset_id = :id',
  )
  const count = prepare(
    `update accounts set asset_count = asset_count + :assets, stored_bytes = stored_bytes + :needed,
       trash_bytes = trash_bytes - :needed
     where id = :account and (:needed = 0 or stored_bytes + reserved_bytes + :needed <= plan_storage)`,
  )
  const attach = prepare(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select :seq, p.seq from trashed_attachments t
     join products p on p.id = t.product_id and p.account_id = :account
     where t.asset_id = :id`,
  )
  const forgetAttachments = prepare('delete from trashed_attachments where asset_id = :id')
  const restoreVersions = prepare('update asset_versions set trashed = 0 where asset_id = :id')
  const restore = prepare(
    `update assets set status = 'ready', changed_at = :now, trashed_at = null, linked = :linked
     where seq = :seq`,
  )
  const indexName = prepare(
    'insert or replace into asset_names (rowid, search_name) values (:seq, :search_name)',
  )

  function bytesOf({ id, kind, bytes }: UploadRow): number {
    return kind === 'file' ? bytes + (versionBytes.get({ id })?.bytes ?? 0) : 0
  }

  return {
    /** Counts the bytes of these assets as stored, unless the plan has no room for them. */
    countRestored(account: string, rows: UploadRow[]): { isCounted: boolean; needed: number } {
      const needed = rows.reduce((sum, row) => sum + bytesOf(row), 0)
      return { isCounted: count.run({ account, needed, assets: rows.length }) === 1, needed }
    },

    /** Call it after `countRestored`, which counts the bytes of the asset. */
    restoreRow({ seq, id, account_id: account, filename }: UploadRow): void {
      const attached = attach.run({ seq, id, account })
      forgetAttachments.run({ id })
      restoreVersions.run({ id })
      restore.run({ seq, linked: Number(attached > 0), now: Date.now() })
      indexName.run({ seq, search_name: foldText(filename) })
    },
  }
}
