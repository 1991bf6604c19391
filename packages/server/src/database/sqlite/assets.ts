import type { Asset } from '../../domain/asset.ts'
import { searchPath, storedFolder } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { AssetChange, Deletion } from '../account-data.ts'
import type { LinkOutcome } from '../idempotency-data.ts'
import { changedValues } from '../shared/events.ts'
import { toAsset, toTagColumns } from '../shared/rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { type Connection, encode } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { ASSET_COLUMNS, type AssetRow, STATEMENTS, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { prepareNameIndex } from './search.ts'
import { prepareTagLimit } from './tags.ts'
import { DELETABLE, prepareDeletion, prepareExcept } from './trash.ts'
import { exceedAssets } from './uploads.ts'

/** An asset that can be renamed. The rows of replacements are none. */
const CHANGEABLE = `id = :id and account_id = :account and replaces is null
  and status in ('uploading', 'completing', 'ready')`

export function prepareAssets(connection: Connection) {
  const { prepare, transaction, execute } = connection
  const { deletePermanently } = prepareDeletion(connection)
  const except = prepareExcept(connection)
  const { recordAsset, recordUpdate } = prepareRecordEvents(connection)
  const hasTooManyTags = prepareTagLimit(connection)
  const insertLink = prepare<{ seq: number }>(
    `insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
       url, created_at, changed_at, folder, search_path, tags, search_tags)
     values (:id, :account, 'link', 'ready', :filename, :search_name, :sort_name, :bytes, :mime, :url,
       :created_at, :created_at, :folder, :search_path, :tags, :search_tags)
     returning seq`,
  )
  const countLink = prepare('update accounts set asset_count = asset_count + 1 where id = :account')
  const changeable = prepare<AssetRow>(`select ${ASSET_COLUMNS} from assets where ${CHANGEABLE}`)
  const change = prepare<AssetRow>(
    `update assets set filename = coalesce(:filename, filename),
       search_name = coalesce(:search_name, search_name),
       sort_name = coalesce(:sort_name, sort_name), url = coalesce(:url, url),
       bytes = coalesce(:bytes, bytes), folder = iif(:moves, :folder, folder),
       search_path = iif(:moves, :search_path, search_path),
       tags = iif(:retags, :tags, tags), search_tags = iif(:retags, :search_tags, search_tags),
       inline = coalesce(:inline, inline),
       updated_at = iif(:changes, :now, updated_at)
     where ${CHANGEABLE} returning ${ASSET_COLUMNS}`,
  )
  const indexName = prepareNameIndex(connection)
  const deletable = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets where id = :id and account_id = :account and ${DELETABLE}`,
  )

  return {
    addLink(writer: Writer, asset: Asset): LinkOutcome {
      const { account } = writer
      return transaction(() => {
        if (hasTooManyTags(account, asset.tags)) return 'too_many_tags'
        const exceeded = exceedAssets(connection, account, 1)
        if (exceeded) return exceeded
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
          search_path: searchPath(asset.path),
          ...encode(toTagColumns(asset.tags)),
        })
        countLink.run({ account })
        except(account, [asset.id])
        indexName.run({ seq: row?.seq ?? null, search_name })
        recordAsset(writer, 'asset.ready', row?.seq ?? -1)
        return 'added'
      })
    },

    changeAsset(
      writer: Writer,
      id: string,
      changes: AssetChange,
    ): Asset | 'too_many_tags' | undefined {
      const { account } = writer
      return transaction(() => {
        const { filename = null, url = null, bytes = null, tags, isInline } = changes
        if (tags !== undefined && hasTooManyTags(account, tags)) return 'too_many_tags'
        const search_name = filename === null ? null : foldText(filename)
        const sort_name = filename === null ? null : sortName(filename)
        const moves = Number(changes.path !== undefined)
        const isChange = Number(Object.values(changes).some((value) => value !== undefined))
        const { path = null } = changes
        const moved = { moves, folder: storedFolder(path), search_path: searchPath(path) }
        const retagged = {
          retags: Number(tags !== undefined),
          ...encode(toTagColumns(tags ?? [])),
        }
        const inline = isInline === undefined ? null : Number(isInline)
        const names = { filename, search_name, sort_name }
        const fields = { ...names, url, bytes, inline, ...moved, ...retagged }
        const before = changeable.get({ account, id })
        const row = change.get({ account, id, ...fields, changes: isChange, now: Date.now() })
        // The index contains the names of ready assets only.
        const isIndexed = search_name !== null && row?.status === 'ready'
        if (isIndexed) indexName.run({ seq: row.seq, search_name })
        if (row === undefined || before === undefined) return undefined
        const asset = toAsset(row)
        if (isChange) {
          const previous = changedValues(toAsset(before), asset)
          recordUpdate(writer, row.seq, { previous })
        }
        return asset
      })
    },

    deleteAsset({ account, actor }: Writer, id: string): Deletion {
      return transaction(() => {
        const row = deletable.get({ account, id })
        if (row === undefined)
          return { won: false, status: execute(STATEMENTS.findAsset, { account, id })?.status }
        const replacement = deletePermanently(actor, row)
        return { won: true, status: 'deleted', ...(replacement && { replacement }) }
      })
    },
  }
}
