import type { AssetStatus } from '../../domain/asset.ts'
import type { Usage } from '../../domain/plan.ts'
import { UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

const OWN = 'id = :id and account_id = :account'

/** Each change of status is one compare-and-set: `from` is part of its condition. */
function transition(from: AssetStatus, to: AssetStatus): string {
  return `update assets set status = '${to}', changed_at = :now where ${OWN} and status = '${from}'`
}

export function prepareUploadStatements({ prepare }: Connection) {
  return {
    /** The check and the reservation are one statement: no interleaving oversells a plan. */
    reserve: prepare(
      `update accounts set reserved_bytes = reserved_bytes + :bytes
       where id = :account and stored_bytes + reserved_bytes + :bytes <= plan_storage`,
    ),
    /** A reservation that shrinks fits into any plan. */
    resizeReservation: prepare(
      `update accounts set reserved_bytes = reserved_bytes + :growth
       where id = :account
         and (:growth <= 0 or stored_bytes + reserved_bytes + :growth <= plan_storage)`,
    ),
    resize: prepare(`update assets set bytes = :bytes where ${OWN} and status = 'uploading'`),
    free: prepare(
      'update accounts set reserved_bytes = reserved_bytes - :bytes where id = :account',
    ),
    store: prepare(
      `update accounts set reserved_bytes = reserved_bytes - :bytes,
         stored_bytes = stored_bytes + :bytes, asset_count = asset_count + 1
       where id = :account`,
    ),
    usage: prepare<Usage>(
      `select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
       from accounts where id = :account`,
    ),
    insert: prepare(
      `insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime,
         created_at, changed_at, upload_id, chunk_size, expires_at, idempotency_key,
         request_digest)
       values (:id, :account, 'file', 'uploading', :filename, :search_name, :bytes, :mime,
         :created_at, :created_at, :upload_id, :chunk_size, :expires_at, :key, :digest)`,
    ),
    byIdempotencyKey: prepare<UploadRow & { request_digest: string }>(
      `select ${UPLOAD_COLUMNS}, request_digest from assets
       where account_id = :account and idempotency_key = :key`,
    ),
    byId: prepare<UploadRow>(
      `select ${UPLOAD_COLUMNS} from assets where ${OWN} and upload_id is not null`,
    ),
    status: prepare<{ status: AssetStatus; bytes: number; retry_at: number | null }>(
      `select status, bytes, retry_at from assets where ${OWN}`,
    ),
    recordStorageId: prepare(
      `update assets set storage_id = :storage_id where ${OWN} and status = 'uploading'
       and coalesce(storage_id, upload_id) = :previous`,
    ),
    remove: prepare<{ bytes: number }>(
      `delete from assets where ${OWN} and status = 'uploading' and storage_id is null returning bytes`,
    ),
    /** From now on `retry_at` is set, also when it is an upload again: that marks its size as final. */
    begin: prepare(
      `update assets set status = 'completing', changed_at = :now, retry_at = :now,
         expires_at = :expires_at
       where ${OWN} and status = 'uploading' and bytes = coalesce(:bytes, bytes)`,
    ),
    reopen: prepare(transition('completing', 'uploading')),
    finish: prepare<{ seq: number; bytes: number; search_name: string }>(
      `${transition('completing', 'ready')} returning seq, bytes, search_name`,
    ),
    abandon: prepare<UploadRow>(
      `${transition('completing', 'expired')} and expires_at + :grace <= :now returning ${UPLOAD_COLUMNS}`,
    ),
    cancel: prepare<UploadRow>(
      `${transition('uploading', 'cancelled')} returning ${UPLOAD_COLUMNS}`,
    ),
    renew: prepare(
      `update assets set expires_at = :expires_at, storage_id = coalesce(storage_id, upload_id)
       where ${OWN} and status = 'uploading'`,
    ),
    indexName: prepare('insert into asset_names (rowid, search_name) values (:seq, :search_name)'),
  }
}
