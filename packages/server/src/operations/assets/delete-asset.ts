import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from '../uploads/get-upload.ts'
import { removeParts } from '../uploads/remove-parts.ts'
import { assetNotFound } from './asset-not-found.ts'

/**
 * Removes the asset from all lists, detaches it from its products and frees its bytes immediately. A job removes its object.
 * An unfinished upload or replacement is cancelled.
 */
export async function deleteAsset(context: AccountContext, assetId: string): Promise<void> {
  const { data } = context
  const { won, status, replacement } = await data.deleteAsset(assetId)
  if (replacement) await removeParts(context, replacement)
  if (won) return
  if (status === 'uploading') {
    const cancelled = await data.cancelUpload(assetId)
    if (cancelled.won) return removeParts(context, await getUpload(context, assetId))
    // Its status changed in the meantime: decide again.
    return deleteAsset(context, assetId)
  }
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      'The upload is being completed. Delete the asset once it is ready.',
    )
  }
  throw assetNotFound()
}
