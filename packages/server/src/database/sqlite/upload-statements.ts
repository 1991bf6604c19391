import type { DatabaseSync } from 'node:sqlite'
import type { AssetStatus } from '../../domain/asset.ts'
import type { Usage } from '../../domain/plan.ts'
import { type RemovalRow, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { prepare } from './statement.ts'

/** Each change of status is one compare-and-set: `from` is part of its condition. */
function transition(from: AssetStatus, to: AssetStatus): string {
  return `update assets set status = '${to}', changed_at = :now
          where id = :id and status = '${from}'`
}

export function prepareUploadStatements(connection: DatabaseSync) {
  return {
    /** The check and the reservation are one statement: no interleaving oversells a plan. */
    reserve: prepare(
      connection,
      `update accounts set reserved_bytes = reserved_bytes + :bytes
       where id = :account and stored_bytes + reserved_bytes + :bytes <= plan_storage`,
    ),
    release: prepare(
      connection,
      'update accounts set reserved_bytes = reserved_bytes - :bytes where id = :account',
    ),
    store: prepare(
      connection,
      `update accounts set reserved_bytes = reserved_bytes - :bytes,
         stored_bytes = stored_bytes + :bytes, asset_count = asset_count + 1
       where id = :account`,
    ),
    usage: prepare<Usage>(
      connection,
      `select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
       from accounts where id = :account`,
    ),
    insert: prepare(
      connection,
      `insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime,
         created_at, changed_at, upload_id, chunk_size, expires_at, idempotency_key,
         request_digest)
       values (:id, :account, 'file', 'uploading', :filename, :search_name, :bytes, :mime,
         :created_at, :created_at, :upload_id, :chunk_size, :expires_at, :key, :digest)`,
    ),
    byIdempotencyKey: prepare<UploadRow & { request_digest: string }>(
      connection,
      `select ${UPLOAD_COLUMNS}, request_digest from assets
       where account_id = :account and idempotency_key = :key`,
    ),
    byId: prepare<UploadRow>(
      connection,
      `select ${UPLOAD_COLUMNS} from assets
       where id = :id and account_id = :account and upload_id is not null`,
    ),
    status: prepare<{ status: AssetStatus }>(
      connection,
      'select status from assets where id = :id',
    ),
    recordStorageId: prepare(
      connection,
      'update assets set storage_id = :storage_id where id = :id',
    ),
    remove: prepare<{ account_id: string; bytes: number }>(
      connection,
      `delete from assets where id = :id and status = 'uploading' returning account_id, bytes`,
    ),
    begin: prepare(connection, transition('uploading', 'completing')),
    reopen: prepare(connection, transition('completing', 'uploading')),
    finish: prepare<{ seq: number; account_id: string; bytes: number; search_name: string }>(
      connection,
      `${transition('completing', 'ready')} returning seq, account_id, bytes, search_name`,
    ),
    abandon: prepare<UploadRow>(
      connection,
      `${transition('completing', 'expired')} returning ${UPLOAD_COLUMNS}`,
    ),
    cancel: prepare<UploadRow>(
      connection,
      `${transition('uploading', 'cancelled')} returning ${UPLOAD_COLUMNS}`,
    ),
    expire: prepare<UploadRow>(
      connection,
      `update assets set status = 'expired', changed_at = :now
       where status = 'uploading' and seq in (
         select seq from assets where status = 'uploading' and expires_at <= :now
         order by expires_at limit :limit)
       returning ${UPLOAD_COLUMNS}`,
    ),
    renew: prepare(
      connection,
      `update assets set expires_at = :expires_at where id = :id and status = 'uploading'`,
    ),
    indexName: prepare(
      connection,
      'insert into asset_names (rowid, search_name) values (:seq, :search_name)',
    ),
    addRemoval: prepare<RemovalRow>(
      connection,
      `insert into removals (kind, storage_id, key, due_at)
       values ('upload', :storage_id, :key, :now)
       returning id, kind, storage_id, key, attempts`,
    ),
    stuck: prepare<UploadRow>(
      connection,
      `select ${UPLOAD_COLUMNS} from assets
       where status = 'completing' and changed_at < :before order by changed_at limit :limit`,
    ),
    unfinished: prepare<{ id: string }>(
      connection,
      `select id from assets
       where id in (select value from json_each(:ids)) and status in ('uploading', 'completing')`,
    ),
    forget: prepare(
      connection,
      `delete from assets where seq in (
         select seq from assets where status in ('cancelled', 'expired') and changed_at < :before
         limit :limit)`,
    ),
  }
}
