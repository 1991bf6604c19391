import { storedFolder } from '../../domain/asset-path.ts'
import type { Key } from '../../domain/key.ts'
import { foldText } from '../../domain/search-text.ts'
import { sortName } from '../../domain/sort-name.ts'
import type { AssetRecord } from '../account-data.ts'
import { toAsset, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

interface RecordRow extends UploadRow {
  changed_at: number
  idempotency_key: string | null
  request_digest: string | null
  /** A JSON array. */
  product_ids: string
}

/** Exports and imports the data of a deployment. */
export function prepareRecords({ prepare, transaction }: Connection) {
  const list = prepare<RecordRow>(
    `select ${UPLOAD_COLUMNS}, changed_at, idempotency_key, request_digest,
       (select json_group_array(p.id order by p.id) from asset_products l
        join products p on p.seq = l.product_seq where l.asset_seq = assets.seq) as product_ids
     from assets where status = 'ready' and id > :after order by id limit :limit`,
  )
  const insertKey = prepare(
    `insert into keys (id, account_id, name, scope, hash, hint, created_at, last_used_at, revoked_at)
     values (:id, :account, :name, :scope, :hash, :hint, :created_at, :last_used_at, :revoked_at)
     on conflict (id) do update set revoked_at = coalesce(revoked_at, excluded.revoked_at)`,
  )
  const insertAsset = prepare<{ seq: number }>(
    `insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
       url, created_at, upload_id, chunk_size, expires_at, changed_at, idempotency_key, request_digest,
       linked, folder)
     values (:id, :account, :kind, 'ready', :filename, :search_name, :sort_name, :bytes, :mime, :url,
       :created_at, :upload_id, :chunk_size, :expires_at, :changed_at, :idempotency_key,
       :request_digest, :linked, :folder)
     on conflict (id) do nothing returning seq`,
  )
  const indexName = prepare(
    'insert into asset_names (rowid, search_name) values (:seq, :search_name)',
  )
  const link = prepare(
    `insert into asset_products (asset_seq, product_seq)
     select :seq, seq from products
     where account_id = :account and id in (select value from json_each(:product_ids))`,
  )
  const count = prepare(
    `update accounts set asset_count = asset_count + 1, stored_bytes = stored_bytes + :stored
     where id = :account`,
  )

  function importAsset(account: string, record: AssetRecord): void {
    const { asset, upload, idempotency, changedAt, productIds } = record
    const search_name = foldText(asset.filename)
    const row = insertAsset.get({
      id: asset.id,
      account,
      kind: asset.kind,
      filename: asset.filename,
      search_name,
      sort_name: sortName(asset.filename),
      bytes: asset.bytes,
      mime: asset.mime,
      url: asset.url,
      created_at: asset.createdAt.getTime(),
      upload_id: upload?.id ?? null,
      chunk_size: upload?.chunkSize ?? null,
      expires_at: upload?.expiresAt.getTime() ?? null,
      changed_at: changedAt.getTime(),
      idempotency_key: idempotency?.key ?? null,
      request_digest: idempotency?.digest ?? null,
      linked: productIds.length > 0 ? 1 : 0,
      folder: storedFolder(asset.path),
    })
    if (row === undefined) return
    indexName.run({ seq: row.seq, search_name })
    const links = link.run({ account, seq: row.seq, product_ids: JSON.stringify(productIds) })
    if (links !== productIds.length) {
      throw new Error(`the asset ${asset.id} is attached to a product that does not exist`)
    }
    count.run({ account, stored: asset.kind === 'file' ? asset.bytes : 0 })
  }

  function importKey(account: string, key: Key): void {
    insertKey.run({
      id: key.id,
      account,
      name: key.name,
      scope: key.scope,
      hash: key.hash,
      hint: key.hint,
      created_at: key.createdAt.getTime(),
      last_used_at: key.lastUsedAt?.getTime() ?? null,
      revoked_at: key.revokedAt?.getTime() ?? null,
    })
  }

  return {
    listRecords(after: string | undefined, limit: number): AssetRecord[] {
      return list.all({ after: after ?? '', limit }).map(toRecord)
    },
    importRecords(account: string, records: { keys: Key[]; assets: AssetRecord[] }): void {
      transaction(() => {
        for (const key of records.keys) importKey(account, key)
        for (const record of records.assets) importAsset(account, record)
      })
    },
  }
}

function toRecord(row: RecordRow): AssetRecord {
  const { idempotency_key: key, request_digest: digest } = row
  return {
    asset: toAsset(row),
    upload:
      row.kind === 'link'
        ? undefined
        : { id: row.upload_id, chunkSize: row.chunk_size, expiresAt: new Date(row.expires_at) },
    idempotency: key === null || digest === null ? undefined : { key, digest },
    changedAt: new Date(row.changed_at),
    productIds: JSON.parse(row.product_ids),
  }
}
