import { isVisible, type Upload } from '../../domain/asset.ts'
import { partLength, partPlan, partRanges } from '../../domain/parts.ts'
import type { StoredPart } from '../../storage/storage.ts'
import { assetNotFound } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { finishIfStored } from './complete-upload.ts'
import { getUpload } from './get-upload.ts'
import { openInStorage } from './open-in-storage.ts'
import { type SignedPart, signParts, storageUploadOf } from './sign-parts.ts'

export interface ResumedUpload {
  upload: Upload
  missing: SignedPart[]
  received: StoredPart[]
  /** When the URLs end; without any, when the upload does. */
  expiresAt: Date
}

/** What is missing, with fresh URLs, and what the storage holds. Asking keeps the upload for longer. */
export async function resumeUpload(
  context: AccountContext,
  assetId: string,
): Promise<ResumedUpload> {
  const found = await getUpload(context, assetId)
  const { status } = found.asset
  if (!isVisible(status)) throw assetNotFound()
  if (status === 'ready') return nothingMissing(found)
  const held = await context.storage.listParts(storageUploadOf(found))
  if (status === 'completing') return nothingMissing(found, held)
  if (held === undefined) return reopen(context, found)
  return renew(context, found, held)
}

/**
 * The storage has closed the upload. Either a completion that raced with this call or was cut off
 * has made the object; or the storage lost the upload (a power cut, a bucket's lifecycle rule), and
 * it is opened again.
 */
async function reopen(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  if (await finishIfStored(context, upload)) return settled(context, upload)
  const opened = await openInStorage(context, upload)
  return renew(context, opened ?? (await getUpload(context, upload.asset.id)), [])
}

async function renew(
  context: AccountContext,
  upload: Upload,
  held: StoredPart[],
): Promise<ResumedUpload> {
  const { uploadsKeptForMs } = context.settings
  const renewed = await context.data.renewUpload(upload.asset.id, uploadsKeptForMs)
  if (!renewed) return settled(context, upload)
  const plan = partPlan(upload.asset.bytes, upload.chunkSize)
  const sizes = new Map(held.map((part) => [part.number, part.size]))
  const missing = partRanges(plan).filter((range) => sizes.get(range.number) !== partLength(range))
  const { parts, expiresAt } = await signParts(context, upload, missing)
  return { upload, missing: parts, received: held, expiresAt }
}

function nothingMissing(upload: Upload, received: StoredPart[] = []): ResumedUpload {
  return { upload, missing: [], received, expiresAt: upload.expiresAt }
}

/** It ended while we looked: what we may have opened is taken back, and its end is answered. */
async function settled(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  const now = await context.data.findUpload(upload.asset.id)
  if (now === undefined || !isVisible(now.asset.status)) {
    await context.storage.abortUpload(storageUploadOf(upload))
    throw assetNotFound()
  }
  // A completion was refused in between: it can go on.
  if (now.asset.status === 'uploading') return resumeUpload(context, upload.asset.id)
  return nothingMissing(now)
}
