import type { Upload } from '../../domain/asset.ts'
import type { StorageUpload } from '../../storage/storage.ts'

/** How the storage identifies an upload. The object’s key is the asset’s ID. */
export function storageUploadOf(upload: Pick<Upload, 'storageId' | 'asset'>): StorageUpload {
  return { id: upload.storageId, key: upload.asset.id }
}
