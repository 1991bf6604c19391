import { isVisible, type Upload } from '../domain/asset.ts'
import { partLength, partPlan, partRanges } from '../domain/parts.ts'
import type { StoredPart } from '../storage/storage.ts'
import { finishInStorage } from './complete-upload.ts'
import type { AccountContext } from './context.ts'
import { assetNotFound } from './get-asset.ts'
import { getUpload } from './get-upload.ts'
import { openInStorage } from './open-in-storage.ts'
import { type SignedPart, signParts, storageUploadOf } from './signed-parts.ts'

export interface ResumedUpload {
  upload: Upload
  missing: SignedPart[]
  received: StoredPart[]
}

/** What is missing, with fresh addresses, and what the storage holds. Asking gives more time. */
export async function resumeUpload(
  context: AccountContext,
  assetId: string,
): Promise<ResumedUpload> {
  const found = await getUpload(context, assetId)
  const { status } = found.asset
  if (!isVisible(status)) throw assetNotFound()
  if (status === 'ready') return { upload: found, missing: [], received: [] }
  const held = await context.storage.listParts(storageUploadOf(found))
  if (status === 'completing') return { upload: found, missing: [], received: held ?? [] }
  if (held === undefined) return reopen(context, found)
  return renew(context, found, held)
}

/**
 * The storage has closed the upload. Either a completion that raced with this call or was cut off
 * has made the object; or the storage lost the upload (a power cut, a bucket's lifecycle rule), and
 * it is opened again.
 */
async function reopen(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  const { data, storage, clock } = context
  const { id, bytes } = upload.asset
  const object = await storage.findObject(id)
  if (object?.size === bytes) {
    await data.beginCompletion(id, clock())
    await finishInStorage(context, upload, [])
    return settled(context, upload)
  }
  const opened = await openInStorage(context, upload)
  return renew(context, opened ?? (await getUpload(context, id)), [])
}

async function renew(
  context: AccountContext,
  upload: Upload,
  held: StoredPart[],
): Promise<ResumedUpload> {
  const expiresAt = new Date(context.clock().getTime() + context.settings.signedForMs)
  const renewed = await context.data.renewUpload(upload.asset.id, expiresAt)
  if (!renewed) return settled(context, upload)
  const plan = partPlan(upload.asset.bytes, upload.chunkSize)
  const sizes = new Map(held.map((part) => [part.number, part.size]))
  const missing = partRanges(plan).filter((range) => sizes.get(range.number) !== partLength(range))
  const renewedUpload = { ...upload, expiresAt }
  return {
    upload: renewedUpload,
    missing: await signParts(context, renewedUpload, missing),
    received: held,
  }
}

/** It ended while we looked: what we may have opened is taken back, and its end is answered. */
async function settled(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  const now = await getUpload(context, upload.asset.id)
  // A completion was refused in between: it can go on.
  if (now.asset.status === 'uploading') return resumeUpload(context, upload.asset.id)
  if (isVisible(now.asset.status)) return { upload: now, missing: [], received: [] }
  await context.storage.abortUpload(storageUploadOf(upload))
  throw assetNotFound()
}
