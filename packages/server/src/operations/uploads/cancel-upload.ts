import type { Upload } from '../../domain/asset.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import type { AccountContext } from '../context.ts'
import { checkUploadId } from './check-upload-id.ts'
import { getUpload } from './get-upload.ts'
import { refuseCompleted } from './refuse-completed.ts'
import { removeParts } from './remove-parts.ts'

/** Frees the reserved bytes immediately and removes the parts. Repeating it returns the same result. */
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
  if (status !== undefined) refuseCompleted(status)
  throw assetNotFound()
}
