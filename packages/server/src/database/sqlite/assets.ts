import type { Asset } from '../../domain/asset.ts'
import { storedFolder } from '../../domain/asset-path.ts'
import { foldText } from '../../domain/search-text.ts'
import { sortName } from '../../domain/sort-name.ts'
import type { AssetChange, Transition } from '../account-data.ts'
import { prepareQueueRemoval } from './release.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

export function prepareAssets(connection: Connection) {
  const { prepare, transaction } = connection
  const queueRemoval = prepareQueueRemoval(connection)
  const byId = prepare<AssetRow>(
    `select ${ASSET_COLUMNS} from assets where id = :id and account_id = :account`,
  )
  const insertLink = prepare<{ seq: number }>(
    `insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
       url, created_at, changed_at, folder)
     values (:id, :account, 'link', 'ready', :filename, :search_name, :sort_name, :bytes, :mime, :url,
       :created_at, :created_at, :folder)
     returning seq`,
  )
  const countLink = prepare('update accounts set asset_count = asset_count + 1 where id = :account')
  const change = prepare<AssetRow>(
    `update assets set filename = coalesce(:filename, filename),
       search_name = coalesce(:search_name, search_name),
       sort_name = coalesce(:sort_name, sort_name), url = coalesce(:url, url),
       bytes = coalesce(:bytes, bytes), folder = iif(:moves, :folder, folder)
     where id = :id and account_id = :account and status in ('uploading', 'completing', 'ready')
     returning ${ASSET_COLUMNS}`,
  )
  const indexName = prepare(
    'insert or replace into asset_names (rowid, search_name) values (:seq, :search_name)',
  )
  const remove = prepare<UploadRow>(
    `update assets set status = 'deleted', changed_at = :now, linked = 0
     where id = :id and account_id = :account and status = 'ready'
     returning ${UPLOAD_COLUMNS}`,
  )
  const uncount = prepare(
    `update accounts set asset_count = asset_count - 1, stored_bytes = stored_bytes - :bytes
     where id = :account`,
  )
  const unlink = prepare('delete from asset_products where asset_seq = :seq')
  const unindexName = prepare('delete from asset_names where rowid = :seq')

  return {
    findAsset(account: string, id: string): Asset | undefined {
      const row = byId.get({ account, id })
      return row && toAsset(row)
    },

    addLink(account: string, asset: Asset): void {
      transaction(() => {
        const search_name = foldText(asset.filename)
        const row = insertLink.get({
          id: asset.id,
          account,
          filename: asset.filename,
          search_name,
          sort_name: sortName(asset.filename),
          bytes: asset.bytes,
          mime: asset.mime,
          url: asset.url,
          created_at: asset.createdAt.getTime(),
          folder: storedFolder(asset.path),
        })
        countLink.run({ account })
        indexName.run({ seq: row?.seq ?? null, search_name })
      })
    },

    changeAsset(account: string, id: string, changes: AssetChange): Asset | undefined {
      return transaction(() => {
        const { filename = null, url = null, bytes = null } = changes
        const search_name = filename === null ? null : foldText(filename)
        const sort_name = filename === null ? null : sortName(filename)
        const moves = Number(changes.path !== undefined)
        const folder = storedFolder(changes.path ?? null)
        const fields = { filename, search_name, sort_name, url, bytes, moves, folder }
        const row = change.get({ account, id, ...fields })
        // The index contains the names of ready assets only.
        const isIndexed = search_name !== null && row?.status === 'ready'
        if (isIndexed) indexName.run({ seq: row.seq, search_name })
        return row && toAsset(row)
      })
    },

    deleteAsset(account: string, id: string): Transition {
      return transaction(() => {
        const row = remove.get({ account, id, now: Date.now() })
        if (row === undefined) return { won: false, status: byId.get({ account, id })?.status }
        unlink.run({ seq: row.seq })
        unindexName.run({ seq: row.seq })
        // A link uses no storage.
        uncount.run({ account, bytes: row.kind === 'file' ? row.bytes : 0 })
        if (row.kind === 'file') queueRemoval('object', row)
        return { won: true, status: 'deleted' }
      })
    },
  }
}
