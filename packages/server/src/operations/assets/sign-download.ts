import { partPlan } from '../../domain/parts.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from '../uploads/get-upload.ts'
import { getAsset } from './get-asset.ts'

/** Long enough to start and to seek in; a longer download asks for a fresh address. */
const DOWNLOAD_MS = 3_600_000

/** A short-lived address of the asset's bytes; for a link, its own address. */
export async function signDownload(
  context: AccountContext,
  assetId: string,
): Promise<{ url: string; expiresAt: Date | undefined }> {
  const asset = await getAsset(context, assetId)
  // Stored as it was given; a header wants it encoded.
  if (asset.url !== null) return { url: new URL(asset.url).href, expiresAt: undefined }
  if (asset.status !== 'ready') {
    throw new ServiceError(
      'not_ready',
      'The file is still uploading. GET the asset’s /upload to see what is missing.',
    )
  }
  const { chunkSize } = await getUpload(context, assetId)
  const object = {
    key: asset.id,
    plan: partPlan(asset.bytes, chunkSize),
    filename: asset.filename,
    mime: asset.mime,
  }
  const expiresAt = new Date(context.clock().getTime() + DOWNLOAD_MS)
  return context.storage.signDownload(object, expiresAt)
}
