import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { checkIntegrity, verificationDeadline } from './check-integrity.ts'
import { getAsset } from './get-asset.ts'
import { signObject } from './sign-object.ts'

/** A short-lived URL of the asset’s bytes; for a link, its own URL. */
export async function signDownload(
  context: AccountContext,
  assetId: string,
  deadline = verificationDeadline(),
): Promise<{ url: string; expiresAt: Date | undefined }> {
  // One read: a replacement between two reads would mix two versions.
  const upload = await context.data.findUpload(assetId)
  if (upload !== undefined && upload.replaces === null && upload.asset.status === 'ready') {
    const { asset, key, chunkSize } = upload
    if (await checkIntegrity(context, asset.integrity, deadline)) {
      return signObject(context, { ...asset, key, chunkSize })
    }
    return signDownload(context, assetId, deadline)
  }
  const asset = await getAsset(context, assetId)
  // The URL is stored as it was given; a header needs it percent-encoded.
  if (asset.url !== null) return { url: new URL(asset.url).href, expiresAt: undefined }
  // It became ready after the first read.
  if (asset.status === 'ready') return signDownload(context, assetId, deadline)
  throw new ServiceError(
    'not_ready',
    'The file is still uploading. Call GET /assets/:id/upload to see which parts are missing.',
  )
}
