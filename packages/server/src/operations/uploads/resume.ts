import { isVisible, type Upload } from '../../domain/asset.ts'
import { partLength, partPlan, partRanges } from '../../domain/parts.ts'
import type { StoredPart } from '../../storage/storage.ts'
import type { AccountContext } from '../context.ts'
import { assetNotFound } from '../refusals.ts'
import { finishIfStored } from './complete.ts'
import { openInStorage, type SignedPart, signParts, storageUploadOf } from './in-storage.ts'
import { getUpload } from './uploads.ts'

export interface ResumedUpload {
  upload: Upload
  missing: SignedPart[]
  received: StoredPart[]
  /** Undefined if there are no URLs. */
  urlsExpireAt: Date | undefined
}

/**
 * The missing parts with new URLs, and the parts in the storage. Extends the upload’s expiry, unless its token has
 * expired.
 */
export async function resumeUpload(
  context: AccountContext,
  assetId: string,
  uploadId?: string,
): Promise<ResumedUpload> {
  return resumeFound(context, await getUpload(context, assetId, uploadId))
}

/** Resumes an upload that was just read. */
export async function resumeFound(context: AccountContext, found: Upload): Promise<ResumedUpload> {
  const { status } = found
  if (!isVisible(status)) throw assetNotFound()
  if (status === 'ready') return nothingMissing(found)
  const received = await context.storage.listParts(storageUploadOf(found))
  if (status === 'completing') return nothingMissing(found, received)
  if (received === undefined) return reopen(context, found)
  return renew(context, found, received)
}

/**
 * The storage has closed the upload. Either a completion that is running or was interrupted has
 * created the object, or the storage lost the upload (a power failure, a lifecycle rule of the bucket)
 * and it is opened again.
 */
async function reopen(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  if (await finishIfStored(context, upload)) return readCurrent(context, upload)
  const opened = await openInStorage(context, upload)
  return opened ? renew(context, opened, []) : readCurrent(context, upload)
}

async function renew(
  context: AccountContext,
  upload: Upload,
  received: StoredPart[],
): Promise<ResumedUpload> {
  const { uploadsKeptForMs } = context.settings
  const keptUntil = await context.data.renewUpload(upload.asset.id, uploadsKeptForMs)
  if (keptUntil === undefined) return readCurrent(context, upload)
  const plan = partPlan(upload.asset.bytes, upload.chunkSize)
  const sizes = new Map(received.map((part) => [part.number, part.size]))
  const missing = partRanges(plan).filter((range) => sizes.get(range.number) !== partLength(range))
  const { parts, urlsExpireAt } = await signParts(context, upload, missing)
  return { upload: { ...upload, expiresAt: keptUntil }, missing: parts, received, urlsExpireAt }
}

function nothingMissing(upload: Upload, received: StoredPart[] = []): ResumedUpload {
  return { upload, missing: [], received, urlsExpireAt: undefined }
}

/** The upload changed in the meantime. If it ended, an upload that this call opened in the storage is aborted. */
async function readCurrent(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  const current = await context.data.findUpload(upload.asset.id)
  if (current === undefined || !isVisible(current.status)) {
    await context.storage.abortUpload(storageUploadOf(upload))
    throw assetNotFound()
  }
  // Another call has opened the upload again, or its completion was refused, so it can be resumed.
  if (current.status === 'uploading') return resumeFound(context, current)
  return nothingMissing(current)
}
