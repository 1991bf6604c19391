import { isVisible, type Upload } from '../domain/asset.ts'
import { partLength, partPlan, partRanges } from '../domain/parts.ts'
import type { StoredPart } from '../storage/storage.ts'
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
  const { upload, held } = await partsInStorage(context, found)
  if (status === 'completing') return { upload, missing: [], received: held }

  const expiresAt = new Date(context.clock().getTime() + context.settings.signedForMs)
  const renewed = await context.data.renewUpload(assetId, expiresAt)
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

/** A storage may lose an upload (a power cut, a bucket's lifecycle rule): then it is opened anew. */
async function partsInStorage(
  context: AccountContext,
  upload: Upload,
): Promise<{ upload: Upload; held: StoredPart[] }> {
  const held = await context.storage.listParts(storageUploadOf(upload))
  if (held !== undefined) return { upload, held }
  if (upload.asset.status !== 'uploading') return { upload, held: [] }
  const opened = await openInStorage(context, upload)
  return { upload: opened ?? (await getUpload(context, upload.asset.id)), held: [] }
}

/** It ended while we looked: what we may have opened is taken back, and its end is answered. */
async function settled(context: AccountContext, upload: Upload): Promise<ResumedUpload> {
  const now = await getUpload(context, upload.asset.id)
  if (isVisible(now.asset.status)) return { upload: now, missing: [], received: [] }
  await context.storage.abortUpload(storageUploadOf(upload))
  throw assetNotFound()
}
