import { setTimeout as pause } from 'node:timers/promises'
import type { AssetVersion, Integrity, Upload } from '../domain/asset.ts'
import { ServiceError } from '../domain/errors.ts'
import { viewOf } from '../domain/order.ts'
import { partPlan } from '../domain/parts.ts'
import type { Renewal } from '../storage/storage.ts'
import { getAsset } from './assets.ts'
import type { AccountContext, Context } from './context.ts'

export interface SignOptions {
  validForMs?: number
  /** Whether browsers show the bytes instead of saving them, if their type is safe. */
  isInline?: boolean
  renewal?: ((file: SignedFile) => Renewal) | undefined
}

/** The version that a URL leads to. */
export interface SignedFile
  extends Pick<AssetVersion, 'key' | 'filename' | 'mime' | 'bytes' | 'chunkSize'> {
  /** In hexadecimal; null unless it is known. */
  sha256: string | null
  /** Undefined if the storage chooses the ETag of its response. */
  etag: string | undefined
}

interface SignedDownload {
  url: string
  expiresAt: Date | undefined
  /** Undefined for a link. */
  file?: SignedFile
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
  options: SignOptions = {},
): Promise<SignedDownload> {
  const deadline = verificationDeadline()
  const smallDeadline = verificationDeadline(SMALL_WAIT_MS)
  for (;;) {
    // One read: a replacement between two reads would mix two versions.
    const upload = await context.data.findUpload(assetId)
    if (upload !== undefined && upload.replaces === null && upload.status === 'ready') {
      const { asset, key, chunkSize } = upload
      if (isWithheld(context, asset.integrity)) {
        const previous = await signPrevious(context, upload, { ...options, smallDeadline })
        if (previous !== undefined) return previous
      }
      if (await checkIntegrity(context, asset.integrity, deadline)) {
        return signObject(context, { ...asset, key, chunkSize }, options)
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
  { smallDeadline, ...options }: SignOptions & { smallDeadline: number },
): Promise<SignedDownload | undefined> {
  const isSoonCompared = asset.bytes <= SMALL_BYTES && !asset.integrity.isDamaged
  if (isSoonCompared && performance.now() < smallDeadline) return undefined
  const served = await context.data.findServedVersion(asset.id)
  if (served === undefined || served.integrity.isDamaged) return undefined
  return signObject(context, served, options)
}

/**
 * Long enough to start a download and to seek in it; a longer download requests a new URL. The object of a
 * version that is no longer kept is removed only after this time.
 */
const DOWNLOAD_MS = 3_600_000

/** A short-lived URL of the object of one version. */
export async function signObject(
  { clock, storage }: AccountContext,
  version: Pick<AssetVersion, 'key' | 'bytes' | 'chunkSize' | 'filename' | 'mime' | 'integrity'>,
  { validForMs = DOWNLOAD_MS, isInline = false, renewal }: SignOptions = {},
): Promise<{ url: string; expiresAt: Date; file: SignedFile }> {
  const { key, bytes, chunkSize, filename, mime } = version
  const { sha256, verifiedAt } = version.integrity
  const known = verifiedAt === null ? null : sha256
  const file = {
    key,
    filename,
    mime,
    bytes,
    chunkSize,
    sha256: known,
    etag: storage.downloadETag(key),
  }
  const object = {
    key,
    plan: partPlan(bytes, chunkSize),
    filename,
    mime,
    ...(known !== null && { sha256: known }),
    ...(isInline && viewOf(version) !== undefined && { isInline }),
    ...(renewal && { renewal: renewal(file) }),
  }
  const signed = await storage.signDownload(object, new Date(clock().getTime() + validForMs))
  return { ...signed, file }
}

/** How long a download waits for the comparison with the declared digest. Small files take much less. */
const COMPARISON_WAIT_MS = 3_000
const COMPARISON_POLL_MS = 50

/** When a download that starts now stops waiting. */
export function verificationDeadline(waitMs = COMPARISON_WAIT_MS): number {
  return performance.now() + waitMs
}

/**
 * Whether downloads do not get these bytes, because no read has found the declared digest yet. If checksums are
 * disabled, only bytes that are known to be wrong are withheld: nothing would ever read the others.
 */
export function isWithheld(
  { settings }: AccountContext,
  { isWithheld, isDamaged }: Integrity,
): boolean {
  return isWithheld && (settings.checksums || isDamaged)
}

/**
 * Refuses damaged bytes. Returns false if the bytes were not yet compared with the declared digest: then it has
 * waited a little, and the caller reads the state again. Refuses after the deadline.
 */
export async function checkIntegrity(
  context: AccountContext,
  integrity: Integrity,
  deadline: number,
): Promise<boolean> {
  if (integrity.isDamaged) {
    throw new ServiceError(
      'damaged',
      'The stored file is damaged: it has changed since the upload, cannot be read, or does not match the declared SHA-256. Replace the file, or restore another version.',
    )
  }
  if (!isWithheld(context, integrity)) return true
  if (performance.now() >= deadline) {
    throw new ServiceError(
      'verifying',
      'The stored file is being compared with its declared SHA-256. Retry the download in a few seconds.',
    )
  }
  await pause(COMPARISON_POLL_MS)
  return false
}

/**
 * Records that a download found changed, unreadable or missing bytes, so that the next download is refused with a
 * reason instead of a broken connection. A job soon reads the object again. If its bytes are correct then, it no longer
 * counts as damaged. Changes nothing if no version needs the object, because its asset was deleted.
 */
export async function recordDamage(context: Context, key: string): Promise<void> {
  const { database, warn } = context
  try {
    if ((await database.readStates([key])).get(key)?.status !== 'ready') return
    const dueAt = await database.readClock()
    const integrity = await database.recordVerification(key, { sha256: null, dueAt })
    if (integrity)
      warn(
        `the object ${key} is damaged: a download did not find it, could not read it, or read other bytes than were stored`,
        undefined,
      )
  } catch (error) {
    warn(`could not record that the object ${key} is damaged`, error)
  }
}
