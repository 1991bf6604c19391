import type { Upload } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { checkIntegrity, isWithheld, verificationDeadline } from './check-integrity.ts'
import { getAsset } from './get-asset.ts'
import { signObject } from './sign-object.ts'

interface SignedDownload {
  url: string
  expiresAt: Date | undefined
}

/** How long a download waits for a new version that is this small, instead of getting the previous one immediately. */
const SMALL_BYTES = 10_000_000
const SMALL_WAIT_MS = 1_000

/**
 * A short-lived URL of the asset’s bytes; for a link, its own URL. While a new version is compared with its declared
 * SHA-256, and if it does not match, this is the previous version.
 */
export async function signDownload(
  context: AccountContext,
  assetId: string,
): Promise<SignedDownload> {
  const deadline = verificationDeadline()
  const smallDeadline = verificationDeadline(SMALL_WAIT_MS)
  for (;;) {
    // One read: a replacement between two reads would mix two versions.
    const upload = await context.data.findUpload(assetId)
    if (upload !== undefined && upload.replaces === null && upload.asset.status === 'ready') {
      const { asset, key, chunkSize } = upload
      if (isWithheld(context, asset.integrity)) {
        const previous = await signPrevious(context, upload, smallDeadline)
        if (previous !== undefined) return previous
      }
      if (await checkIntegrity(context, asset.integrity, deadline)) {
        return signObject(context, { ...asset, key, chunkSize })
      }
      continue
    }
    const asset = await getAsset(context, assetId)
    // The URL is stored as it was given; a header needs it percent-encoded.
    if (asset.url !== null) return { url: new URL(asset.url).href, expiresAt: undefined }
    // It became ready after the first read.
    if (asset.status === 'ready') continue
    throw new ServiceError(
      'not_ready',
      'The file is still uploading. Call GET /assets/:id/upload to see which parts are missing.',
    )
  }
}

/** Undefined if there is no intact previous version, or if the new version is so small that it is worth waiting for. */
async function signPrevious(
  context: AccountContext,
  { asset }: Upload,
  smallDeadline: number,
): Promise<SignedDownload | undefined> {
  const isSoonCompared = asset.bytes <= SMALL_BYTES && !asset.integrity.isDamaged
  if (isSoonCompared && performance.now() < smallDeadline) return undefined
  const served = await context.data.findServedVersion(asset.id)
  if (served === undefined || served.integrity.isDamaged) return undefined
  return signObject(context, served)
}
