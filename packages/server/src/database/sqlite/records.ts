import type { Key } from '../../domain/key.ts'
import type { AssetRecord } from '../account-data.ts'
import type { StoredFile } from '../database.ts'
import { toKeyColumns } from '../shared/account-rows.ts'
import {
  type RecordRow,
  type StoredFileRow,
  toAssetColumns,
  toChecksumColumns,
  toRecord,
  toStoredFile,
  toVersionColumns,
} from '../shared/rows.ts'
import { checksumOf } from '../shared/statements.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareChecksums } from './checksums.ts'
import { type Connection, encode } from './connection.ts'
import { SQLITE, UPLOAD_COLUMNS } from './rows.ts'
import { prepareNameIndex } from './search.ts'
import { prepareExcept } from './trash.ts'

/** Exports assets, and imports assets and keys. */
export function prepareRecords(connection: Connection) {
  const { prepare, transaction } = connection
  const { importChecksum } = prepareChecksums(connection)
  const except = prepareExcept(connection)
  const list = prepare<RecordRow>(
    `select ${UPLOAD_COLUMNS}, changed_at, idempotency_key, request_digest,
       trashed_at, (select json_group_array(id order by id) from (
          select p.id from asset_products l join products p on p.seq = l.product_seq
          where l.asset_seq = assets.seq
          union all
          select p.id from trashed_attachments t join products p on p.id = t.product_id
          where t.asset_id = assets.id)) as product_ids,
       last_version, version_created_at,
       exists (
         select 1 from accounts a
         where a.id = assets.account_id and assets.status = 'ready' and assets.id <= a.trash_until
           and assets.id > coalesce(a.trash_after, '') and not exists (
             select 1 from trash_exceptions e
             where e.account_id = assets.account_id and e.asset_id = assets.id)
       ) as is_being_deleted,
       exists (
         select 1 from folder_moves m
         where m.account_id = assets.account_id and m.finished_at is null
           and m.source <= assets.folder and m.source_end > assets.folder and not exists (
             select 1 from folder_move_exceptions where move_id = m.id and asset_id = assets.id)
       ) as is_being_moved,
       (select json_group_array(json_object('version', v.version, 'key', v.object_key,
          'chunkSize', v.chunk_size, 'filename', v.filename, 'bytes', v.bytes, 'mime', v.mime,
          'createdAt', v.created_at, 'checksum',
          json((select json_array(c.sha256, c.verified_at, c.damaged, c.withheld_for is not null) from checksums c
            where c.object_key = v.object_key))) order by v.replaced_in)
        from asset_versions v where v.asset_id = assets.id) as versions
     from assets where (+status = 'ready' or +trashed_at is not null) and id > :after
     order by id limit :limit`,
  )
  const insertKey = prepare(
    `insert into keys (id, account_id, name, scope, hash, hint, created_at, last_used_at, revoked_at,
       expires_at)
     values (:id, :account_id, :name, :scope, :hash, :hint, :created_at, :last_used_at, :revoked_at,
       :expires_at)
     on conflict (id) do update set revoked_at = coalesce(revoked_at, excluded.revoked_at)`,
  )
  const insertAsset = prepare<{ seq: number }>(
    `insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
       url, created_at, upload_id, chunk_size, expires_at, changed_at, idempotency_key, request_digest,
       attached, folder, search_path, tags, search_tags, inline, version, last_version, version_changes, object_key, version_created_at,
       updated_at, trashed_at)
     values (:id, :account_id, :kind, :status, :filename, :search_name, :sort_name, :bytes, :mime, :url, :created_at,
       :upload_id, :chunk_size, :expires_at, :changed_at, :idempotency_key,
       :request_digest, :attached, :folder, :search_path, :tags, :search_tags, :inline, :version, :last_version, :version_changes,
       :object_key, :version_created_at, :updated_at, :trashed_at)
     on conflict (id) do nothing returning seq`,
  )
  const indexName = prepareNameIndex(connection)
  const attach = prepare(
    `insert into asset_products (asset_seq, product_seq)
     select :seq, seq from products
     where account_id = :account and id in (select value from json_each(:product_ids))`,
  )
  const keepAttachments = prepare(
    `insert into trashed_attachments (asset_id, product_id)
     select :id, value from json_each(:product_ids)`,
  )
  const insertVersion = prepare(
    `insert into asset_versions (asset_id, account_id, version, object_key, chunk_size, filename,
       bytes, mime, created_at, replaced_in, trashed)
     values (:asset_id, :account_id, :version, :object_key, :chunk_size, :filename, :bytes, :mime,
       :created_at, :replaced_in, :trashed)`,
  )
  const count = prepare(
    `update accounts set asset_count = asset_count + 1, stored_bytes = stored_bytes + :stored
     where id = :account`,
  )

  const includeInMove = prepare(
    `delete from folder_move_exceptions where asset_id = :id and move_id in (
       select id from folder_moves where account_id = :account and finished_at is null)`,
  )

  const countTrash = prepare(
    'update accounts set trash_bytes = trash_bytes + :bytes where id = :account',
  )

  function importAsset(account: string, record: AssetRecord): void {
    const { asset, productIds, versions, trashedAt } = record
    const isTrashed = trashedAt !== undefined
    const columns = toAssetColumns(account, record)
    const row = insertAsset.get(encode(columns))
    for (const checksum of toChecksumColumns(account, record)) importChecksum(checksum)
    if (row === undefined) return
    if (!record.isBeingDeleted) except(account, [asset.id])
    // Like every asset that arrives, it was excepted.
    if (record.isBeingMoved) includeInMove.run({ account, id: asset.id })
    const product_ids = JSON.stringify(productIds)
    if (isTrashed) keepAttachments.run({ id: asset.id, product_ids })
    else {
      indexName.run({ seq: row.seq, search_name: columns.search_name })
      const attached = attach.run({ account, seq: row.seq, product_ids })
      if (attached !== productIds.length) {
        throw new Error(`the asset ${asset.id} is attached to a product that does not exist`)
      }
    }
    for (const version of toVersionColumns(account, record)) insertVersion.run(encode(version))
    const older = versions.reduce((sum, { bytes }) => sum + bytes, 0)
    const bytes = older + (asset.kind === 'file' ? asset.bytes : 0)
    if (isTrashed) countTrash.run({ account, bytes })
    else count.run({ account, stored: bytes })
  }

  return {
    listRecords(after: string | undefined, limit: number): AssetRecord[] {
      return list.all({ after: after ?? '', limit }).map(toRecord)
    },
    importRecords({ account }: Writer, records: { keys: Key[]; assets: AssetRecord[] }): void {
      transaction(() => {
        for (const key of records.keys) insertKey.run(encode(toKeyColumns(account, key)))
        for (const record of records.assets) importAsset(account, record)
      })
    },
  }
}

/** The unary plus keeps SQLite from using an index that is not in the order of the keys. */
const OWNS_OBJECT = `(+status = 'ready' or +trashed_at is not null)`

/** The objects of all accounts, in the order of their keys. Each subquery reads an index in this order. */
export function prepareStoredFiles({ prepare }: Connection) {
  const list = prepare<StoredFileRow>(
    `select files.*, ${checksumOf(SQLITE, 'files.key')} from (
     select * from (
       select id as key, id as asset_id, folder, filename, bytes, chunk_size, version, 1 as is_current
       from assets
       where ${OWNS_OBJECT} and kind = 'file' and object_key is null and id > :after
       order by id limit :limit)
     union all
     select * from (
       select object_key, id, folder, filename, bytes, chunk_size, version, 1 from assets
       where object_key is not null and object_key > :after and ${OWNS_OBJECT}
       order by object_key limit :limit)
     union all
     select * from (
       select v.object_key, asset_id, folder, v.filename, v.bytes, v.chunk_size, v.version, 0
       from asset_versions v join assets on assets.id = asset_id
       where v.object_key > :after order by v.object_key limit :limit)
     order by key limit :limit) files order by key`,
  )
  return {
    listStoredFiles: (after: string | undefined, limit: number): StoredFile[] =>
      list.all({ after: after ?? '', limit }).map(toStoredFile),
  }
}
