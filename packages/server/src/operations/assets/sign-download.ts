import { partPlan } from '../../domain/parts.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from '../uploads/get-upload.ts'
import { getAsset } from './get-asset.ts'

/** Long enough to start a download and to seek in it; a longer download requests a new URL. */
const DOWNLOAD_MS = 3_600_000

/** A short-lived URL of the asset’s bytes; for a link, its own URL. */
export async function signDownload(
  context: AccountContext,
  assetId: string,
): Promise<{ url: string; expiresAt: Date | undefined }> {
  const asset = await getAsset(context, assetId)
  // It is stored as it was given; a header needs it percent-encoded.
  if (asset.url !== null) return { url: new URL(asset.url).href, expiresAt: undefined }
  if (asset.status !== 'ready') {
    throw new ServiceError(
      'not_ready',
      'The file is still uploading. Call GET /assets/:id/upload to see which parts are missing.',
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
