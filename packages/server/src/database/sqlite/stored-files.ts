import { pathOfStored } from '../../domain/asset-path.ts'
import type { StoredFile } from '../database.ts'
import { checksumOf, toIntegrity } from './rows.ts'
import type { Connection } from './statement.ts'

interface StoredFileRow {
  key: string
  asset_id: string
  folder: string | null
  filename: string
  bytes: number
  chunk_size: number
  version: number
  is_current: number
  checksum: string | null
}

/** The unary plus keeps SQLite from using an index that is not in the order of the keys. */
const OWNS_OBJECT = `(+status = 'ready' or +trashed_at is not null)`

/** The objects of all accounts, in the order of their keys. Each subquery reads an index in this order. */
export function prepareStoredFiles({ prepare }: Connection) {
  const list = prepare<StoredFileRow>(
    `select files.*, ${checksumOf('files.key')} from (
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

function toStoredFile(row: StoredFileRow): StoredFile {
  return {
    key: row.key,
    assetId: row.asset_id,
    path: pathOfStored(row.folder),
    filename: row.filename,
    bytes: row.bytes,
    chunkSize: row.chunk_size,
    version: row.version,
    isCurrent: row.is_current === 1,
    integrity: toIntegrity(row.checksum),
  }
}
