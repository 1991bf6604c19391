import { isVisible, type Upload } from '../../domain/asset.ts'
import { invalid, ServiceError } from '../../errors.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import { getAsset } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { getOwnUpload } from '../upload-tokens/get-own-upload.ts'

/**
 * The upload of a file, even if it was completed or cancelled, or has expired. The upload ID of a replacement
 * selects the upload of that new version. An upload token finds its own uploads only.
 */
export async function getUpload(
  context: AccountContext,
  assetId: string,
  uploadId?: string,
): Promise<Upload> {
  const { data, uploadToken } = context
  // UUIDs are not case-sensitive.
  const given = uploadId?.toLowerCase()
  if (uploadToken !== undefined) {
    return getOwnUpload(context, uploadToken, { assetId, uploadId: given })
  }
  const upload = await data.findUpload(assetId)
  if (upload === undefined) return refuseLink(context, assetId)
  // A replacement is only found by the ID of the asset that it replaces.
  if (upload.replaces !== null) throw assetNotFound()
  if (given === undefined || given === upload.id) return upload
  if (!isVisible(upload.asset.status)) throw assetNotFound()
  const replacement = await data.findReplacement(assetId, given)
  if (replacement === undefined) throw invalid({ uploadId: ['does not belong to this asset'] })
  return replacement
}

/** Only a link is an asset without an upload. */
async function refuseLink(context: AccountContext, assetId: string): Promise<never> {
  await getAsset(context, assetId)
  throw new ServiceError(
    'not_found',
    'The asset is a link and has no upload. Call PUT /assets/:id to change its URL.',
  )
}
