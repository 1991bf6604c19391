import type { Upload } from '../../domain/asset.ts'
import { assetNotFound } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { checkUploadId, getUpload } from './get-upload.ts'
import { refuseEnded } from './refuse-ended.ts'
import { storageUploadOf } from './sign-parts.ts'

/** Frees the reserved bytes at once and removes the parts. Repeating it gives the same answer. */
export async function cancelUpload(
  context: AccountContext,
  assetId: string,
  request: { uploadId: string },
): Promise<Upload> {
  const upload = await getUpload(context, assetId)
  checkUploadId(upload, request.uploadId)
  const { won, status } = await context.data.cancelUpload(assetId)
  if (won) await removeParts(context, upload)
  if (status === 'cancelled') return upload
  if (status !== undefined) refuseEnded(status)
  throw assetNotFound()
}

/** It is cancelled, whether or not the storage answers now: a job removes them once more. */
export async function removeParts(
  { storage, warn }: AccountContext,
  upload: Upload,
): Promise<void> {
  try {
    await storage.abortUpload(storageUploadOf(upload))
  } catch (error) {
    warn('the parts of a cancelled upload are removed later', error)
  }
}
