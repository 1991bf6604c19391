import type { Upload } from '../../domain/asset.ts'
import type { AccountContext } from '../context.ts'
import { storageUploadOf } from './sign-parts.ts'

/**
 * Opens the upload in the storage. Of calls that do so at once, on storages that name uploads
 * themselves, one is remembered; undefined for the others, whose own is taken back.
 */
export async function openInStorage<Opened extends Pick<Upload, 'asset' | 'storageId'>>(
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
