import type { Sql } from './connection.ts'
import type { Fragment } from './statement.ts'

/*
 * The data of events as JSON, from the row `s` of a statement. `read-event-data.ts` reads it.
 */

const ASSET_FIELDS = `'id', s.id, 'kind', s.kind, 'status', s.status, 'filename', s.filename,
  'bytes', s.bytes, 'mime', s.mime, 'url', s.url, 'createdAt', s.created_at,
  'updatedAt', coalesce(s.updated_at, s.created_at), 'version', s.version, 'folder', s.folder,
  'trashedAt', s.trashed_at, 'checksum', (
    select json_build_array(c.sha256, c.verified_at, c.damaged) from checksums c
    where c.object_key = coalesce(s.object_key, s.id))`

/** `more` are further names and values. */
export function assetSnapshot(sql: Sql, more?: Fragment): Fragment {
  const fields = sql.unsafe(ASSET_FIELDS)
  return more === undefined
    ? sql`json_build_object(${fields})`
    : sql`json_build_object(${fields}, ${more})`
}

export function uploadSnapshot(sql: Sql): Fragment {
  return sql`json_build_object('id', coalesce(s.replaces, s.id), 'uploadId', s.upload_id,
    'isReplacement', s.replaces is not null, 'filename', s.filename, 'folder', s.folder,
    'bytes', s.bytes, 'mime', s.mime, 'chunkSize', s.chunk_size, 'startedById', s.started_by_id,
    'startedByName', s.started_by_name, 'createdAt', s.created_at, 'expiresAt', s.expires_at)`
}

export function productSnapshot(sql: Sql): Fragment {
  return sql`json_build_object('id', s.id, 'productId', s.product_id, 'variantId', s.variant_id,
    'name', s.name, 'variantName', s.variant_name, 'sku', s.sku, 'vendor', s.vendor, 'tags', s.tags)`
}

export function accountSnapshot(sql: Sql): Fragment {
  return sql`json_build_object('name', s.name, 'planName', s.plan_name, 'limit', s.plan_storage,
    'stored', s.stored_bytes, 'reserved', s.reserved_bytes, 'trash', s.trash_bytes,
    'assets', s.asset_count)`
}
