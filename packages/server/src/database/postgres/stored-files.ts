import { pathOfStored } from '../../domain/asset-path.ts'
import type { Database, StoredFile } from '../database.ts'
import type { Sql } from './connection.ts'
import { checksumOf, type StoredChecksum, toIntegrity } from './rows.ts'

interface StoredFileRow {
  key: string
  asset_id: string
  folder: string | null
  filename: string
  bytes: number
  chunk_size: number
  version: number
  is_current: boolean
  checksum: StoredChecksum | null
}

const FIRST = '00000000-0000-0000-0000-000000000000'

/** The objects of all accounts, in the order of their keys. Each subquery reads an index in this order. */
export function globalStoredFiles(sql: Sql): Pick<Database, 'listStoredFiles'> {
  return {
    async listStoredFiles(after = FIRST, limit) {
      const rows = await sql<StoredFileRow[]>`
        select files.*, ${checksumOf(sql, sql`files.key`)} from (
        (select id as key, id as asset_id, folder, filename, bytes, chunk_size, version,
           true as is_current
         from assets
         where (status = 'ready' or trashed_at is not null) and kind = 'file' and object_key is null and id > ${after}
         order by id limit ${limit})
        union all
        (select object_key, id, folder, filename, bytes, chunk_size, version, true from assets
         where object_key is not null and object_key > ${after}
           and (status = 'ready' or trashed_at is not null)
         order by object_key limit ${limit})
        union all
        (select v.object_key, asset_id, folder, v.filename, v.bytes, v.chunk_size, v.version, false
         from asset_versions v join assets on assets.id = asset_id
         where v.object_key > ${after} order by v.object_key limit ${limit})
        order by key limit ${limit}) files order by key`
      return rows.map(toStoredFile)
    },
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
    isCurrent: row.is_current,
    integrity: toIntegrity(row.checksum),
  }
}
