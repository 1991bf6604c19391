import type { Upload } from '../../domain/asset.ts'
import type { StorageUpload } from '../../storage/storage.ts'

/** How the storage identifies an upload. */
export function storageUploadOf(upload: Pick<Upload, 'storageId' | 'key'>): StorageUpload {
  return { id: upload.storageId, key: upload.key }
}
