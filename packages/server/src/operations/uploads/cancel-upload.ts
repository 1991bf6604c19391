import type { Upload } from '../../domain/asset.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from './get-upload.ts'
import { refuseCompleted } from './refuse-completed.ts'
import { removeParts } from './remove-parts.ts'

/**
 * Frees the reserved bytes immediately and removes the parts. Repeating the call returns the same result. Cancelling
 * a replacement does not change the asset.
 */
export async function cancelUpload(
  context: AccountContext,
  assetId: string,
  request: { uploadId: string },
): Promise<Upload> {
  const upload = await getUpload(context, assetId, request.uploadId)
  const { won, status } = await context.data.cancelUpload(upload.asset.id)
  if (won) await removeParts(context, upload)
  if (status === 'cancelled') return upload
  if (status !== undefined) refuseCompleted(status, upload)
  throw assetNotFound()
}
