import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from '../uploads/get-upload.ts'
import { removeParts } from '../uploads/remove-parts.ts'
import { assetNotFound } from './asset-not-found.ts'

/**
 * Removes the asset from all lists, detaches it from its products and frees its bytes immediately. It stays in the
 * trash, unless the deletion is permanent or the service has no trash: in these cases a job removes its objects. An
 * unfinished upload or replacement is cancelled.
 */
export async function deleteAsset(
  context: AccountContext,
  assetId: string,
  { isPermanent = false }: { isPermanent?: boolean | undefined } = {},
): Promise<void> {
  const { data, settings } = context
  const isKept = !isPermanent && settings.trashForMs > 0
  const ended = await (isKept ? moveToTrash(context, assetId) : deletePermanently(context, assetId))
  if (ended) return
  const status = (await data.findAsset(assetId))?.status
  if (status === 'uploading') {
    const cancelled = await data.cancelUpload(assetId)
    if (cancelled.won) return removeParts(context, await getUpload(context, assetId))
    // Its status changed in the meantime: decide again.
    return deleteAsset(context, assetId, { isPermanent })
  }
  // It became ready in the meantime: decide again.
  if (status === 'ready') return deleteAsset(context, assetId, { isPermanent })
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      'The upload is being completed. Delete the asset once it is ready.',
    )
  }
  throw assetNotFound()
}

async function moveToTrash(context: AccountContext, assetId: string): Promise<boolean> {
  const result = await context.data.trashAssets([assetId])
  if (result.outcome !== 'done') return false
  for (const replacement of result.replacements) await removeParts(context, replacement)
  return result.changed > 0
}

async function deletePermanently(context: AccountContext, assetId: string): Promise<boolean> {
  const { won, replacement } = await context.data.deleteAsset(assetId)
  if (replacement) await removeParts(context, replacement)
  return won
}
