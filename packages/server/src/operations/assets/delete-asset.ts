import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { removeParts } from '../uploads/cancel-upload.ts'
import { getUpload } from '../uploads/get-upload.ts'
import { assetNotFound } from './get-asset.ts'

/**
 * Takes the asset out of listings and links and frees its bytes at once. A job removes its object.
 * An upload that is not finished is cancelled by it.
 */
export async function deleteAsset(context: AccountContext, assetId: string): Promise<void> {
  const { data } = context
  const { won, status } = await data.deleteAsset(assetId)
  if (won) return
  if (status === 'uploading') {
    const cancelled = await data.cancelUpload(assetId)
    if (cancelled.won) return removeParts(context, await getUpload(context, assetId))
    // It went on in between: what it is now decides.
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
