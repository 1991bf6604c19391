import { foldText } from '../../domain/search-text.ts'
import { sortName } from '../../domain/sort-name.ts'
import type { Connection } from './statement.ts'

/** The content of a version that becomes the current one. */
export interface VersionContent {
  version: number
  object_key: string
  storage_id: string | null
  chunk_size: number
  filename: string
  bytes: number
  mime: string
  created_at: number
}

export interface AssetOfVersions {
  seq: number
  id: string
  version: number
  last_version: number
  filename: string
}

/**
 * Makes a version the current one, in the caller's transaction. The version that was current becomes an older
 * one. The counters of the account do not change: the bytes are already counted.
 */
export function prepareSwitchVersion({ prepare }: Connection) {
  const keepCurrent = prepare(
    `insert into asset_versions (asset_id, account_id, version, object_key, storage_id, chunk_size,
       filename, bytes, mime, created_at, replaced_in)
     select id, account_id, version, coalesce(object_key, id), storage_id, chunk_size, filename, bytes,
       mime, coalesce(version_created_at, created_at), version_changes + 1
     from assets where seq = :seq`,
  )
  const setCurrent = prepare(
    `update assets set version = :version, last_version = max(last_version, :version),
       version_changes = version_changes + 1, object_key = nullif(:object_key, id),
       storage_id = :storage_id, chunk_size = :chunk_size, filename = :filename,
       search_name = :search_name, sort_name = :sort_name, bytes = :bytes, mime = :mime, version_created_at = :created_at,
       updated_at = :now
     where seq = :seq`,
  )
  const indexName = prepare(
    'insert or replace into asset_names (rowid, search_name) values (:seq, :search_name)',
  )

  return ({ seq, filename }: AssetOfVersions, content: VersionContent): void => {
    const search_name = foldText(content.filename)
    const sort_name = sortName(content.filename)
    keepCurrent.run({ seq })
    setCurrent.run({ seq, ...content, search_name, sort_name, now: Date.now() })
    if (content.filename !== filename) indexName.run({ seq, search_name })
  }
}
