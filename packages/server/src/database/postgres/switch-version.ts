import { foldText } from '../../domain/search-text.ts'
import { sortName } from '../../domain/sort-name.ts'
import type { Sql } from './connection.ts'

/** The content of a version that becomes the current one. */
export interface VersionContent {
  version: number
  object_key: string
  storage_id: string | null
  chunk_size: number
  filename: string
  bytes: number
  mime: string
  created_at: Date
}

/**
 * Makes a version the current one, in the caller's transaction, which has locked the asset. The version that
 * was current becomes an older one. The counters of the account do not change: the bytes are already
 * counted.
 */
export async function switchVersion(
  transaction: Sql,
  assetId: string,
  content: VersionContent,
): Promise<void> {
  await transaction`
    insert into asset_versions (asset_id, account_id, version, object_key, storage_id, chunk_size,
      filename, bytes, mime, created_at, replaced_in)
    select id, account_id, version, coalesce(object_key, id), storage_id, chunk_size, filename, bytes,
      mime, coalesce(version_created_at, created_at), version_changes + 1
    from assets where id = ${assetId}`
  await transaction`
    update assets set version = ${content.version},
      last_version = greatest(last_version, ${content.version}),
      version_changes = version_changes + 1, object_key = nullif(${content.object_key}::uuid, id),
      storage_id = ${content.storage_id}, chunk_size = ${content.chunk_size},
      filename = ${content.filename}, search_name = ${foldText(content.filename)},
      sort_name = ${sortName(content.filename)},
      bytes = ${content.bytes}, mime = ${content.mime}, version_created_at = ${content.created_at},
      updated_at = now()
    where id = ${assetId}`
}
