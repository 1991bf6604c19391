import type { AssetVersion } from '../../domain/asset.ts'
import { partPlan } from '../../domain/parts.ts'
import type { AccountContext } from '../context.ts'

/**
 * Long enough to start a download and to seek in it; a longer download requests a new URL. The object of a
 * version that is no longer kept is removed only after this time.
 */
const DOWNLOAD_MS = 3_600_000

/** A short-lived URL of the object of one version. */
export function signObject(
  { clock, storage }: AccountContext,
  version: Pick<AssetVersion, 'key' | 'bytes' | 'chunkSize' | 'filename' | 'mime' | 'integrity'>,
): Promise<{ url: string; expiresAt: Date }> {
  const { key, bytes, chunkSize, filename, mime } = version
  const { sha256, verifiedAt } = version.integrity
  const object = {
    key,
    plan: partPlan(bytes, chunkSize),
    filename,
    mime,
    ...(sha256 !== null && verifiedAt !== null && { sha256 }),
  }
  return storage.signDownload(object, new Date(clock().getTime() + DOWNLOAD_MS))
}
