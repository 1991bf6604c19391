import { storedFolder } from '../../domain/asset-path.ts'
import type { StoredUpload } from '../read-event-data.ts'
import type { NewUpload } from '../reservation.ts'
import type { UploadRow } from './rows.ts'

/** The names and values of the JSON object of an asset, from its row. `read-event-data.ts` reads it. */
export const ASSET_SNAPSHOT = `'id', id, 'kind', kind, 'status', status, 'filename', filename, 'bytes', bytes, 'mime', mime,
  'url', url, 'createdAt', created_at, 'updatedAt', coalesce(updated_at, created_at), 'version', version,
  'folder', folder, 'trashedAt', trashed_at, 'checksum', json((
    select json_array(c.sha256, c.verified_at, c.damaged) from checksums c
    where c.object_key = coalesce(assets.object_key, assets.id)))`

export function uploadSnapshot(row: UploadRow): StoredUpload {
  return {
    id: row.replaces ?? row.id,
    uploadId: row.upload_id,
    isReplacement: row.replaces !== null,
    filename: row.filename,
    folder: row.folder,
    bytes: row.bytes,
    mime: row.mime,
    chunkSize: row.chunk_size,
    startedById: row.started_by_id,
    startedByName: row.started_by_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

/** The snapshot of an upload that was just requested. */
export function newUploadSnapshot(upload: NewUpload['upload'], expiresAt: number): StoredUpload {
  const { asset, replaces, startedBy } = upload
  return {
    id: replaces?.assetId ?? asset.id,
    uploadId: upload.id,
    isReplacement: replaces !== null,
    filename: asset.filename,
    folder: storedFolder(asset.path),
    bytes: asset.bytes,
    mime: asset.mime,
    chunkSize: upload.chunkSize,
    startedById: startedBy?.id ?? null,
    startedByName: startedBy?.name ?? null,
    createdAt: asset.createdAt.getTime(),
    expiresAt,
  }
}
