import type { Upload } from '../../domain/asset.ts'
import type { AccountContext } from '../context.ts'
import { storageUploadOf } from './storage-upload-of.ts'

/**
 * Opens the upload in the storage. Some storage engines choose the upload’s ID themselves. With them, if several
 * calls open the same upload concurrently, one ID is recorded; the other calls abort what they opened
 * and return undefined.
 */
export async function openInStorage<Opened extends Pick<Upload, 'asset' | 'storageId' | 'key'>>(
  { data, storage }: AccountContext,
  upload: Opened,
): Promise<Opened | undefined> {
  const { id, mime } = upload.asset
  const storageId = await storage.createUpload({ ...storageUploadOf(upload), mime })
  if (storageId === upload.storageId) return upload
  const opened = { ...upload, storageId }
  if (await data.recordStorageId(id, { previous: upload.storageId, storageId })) return opened
  await storage.abortUpload(storageUploadOf(opened))
  return undefined
}
