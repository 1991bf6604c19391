import type { Upload } from '../../domain/asset.ts'
import type { AccountContext } from '../context.ts'
import { storageUploadOf } from './storage-upload-of.ts'

/**
 * Removes the parts of a cancelled or expired upload. Never fails: the upload has ended whether or not the
 * storage is available now, and a background job retries later.
 */
export async function removeParts(
  { storage, warn }: AccountContext,
  upload: Upload,
): Promise<void> {
  try {
    await storage.abortUpload(storageUploadOf(upload))
  } catch (error) {
    warn('could not remove the parts of an upload that has ended; a job will retry', error)
  }
}
