import { type Asset, isVisible, type Upload } from '../../domain/asset.ts'
import { matchParts, type NamedPart } from '../../domain/match-parts.ts'
import { partPlan } from '../../domain/parts.ts'
import { invalid, ServiceError } from '../../errors.ts'
import type { StoredPart } from '../../storage/storage.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import { getAsset } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { finishInStorage } from './finish-in-storage.ts'
import { getUpload } from './get-upload.ts'
import { storageUploadOf } from './storage-upload-of.ts'

/**
 * Makes the asset ready, or the new version of an asset current, once all parts are in the storage. After a
 * refusal the upload can be continued, but its size is final once the completion has begun. Repeating a successful
 * call returns the same result. Concurrent calls complete the upload only once, and return the same result.
 */
export async function completeUpload(
  context: AccountContext,
  assetId: string,
  request: { uploadId?: string | undefined; parts: NamedPart[] },
): Promise<Asset> {
  const { data, storage, settings } = context
  const { uploadsKeptForMs: keptForMs } = settings
  const upload = await getUpload(context, assetId, request.uploadId)
  const { id } = upload.asset
  if (!isVisible(upload.asset.status)) throw assetNotFound()
  if (upload.asset.status === 'ready') return completed(context, upload)

  const received = await storage.listParts(storageUploadOf(upload))
  // If the storage has closed the upload, the completion finds out whether there is an object.
  const parts = received === undefined ? [] : checkParts(upload, received, request.parts)

  const { status } = await data.beginCompletion(id, {
    keptForMs,
    bytes: upload.asset.bytes,
  })
  // The parts were compared with a size that has changed since.
  if (status === 'resized') return completeUpload(context, assetId, request)
  let isReady = false
  if (status === 'completing') {
    const outcome = await finishInStorage(context, upload, parts)
    if (outcome.outcome === 'refused') throw partsChanged(outcome.parts)
    if (outcome.outcome === 'gone') await checkMissing(context, upload)
    if (outcome.outcome === 'rejected') throw completionRefused(outcome.reason)
    isReady = outcome.isReady
  }
  const current = await data.findUpload(id)
  if (current === undefined) throw assetNotFound()
  // Another call may have moved it to the trash since.
  if (isReady && current.replaces === null) return { ...current.asset, status: 'ready' }
  if (!isVisible(current.asset.status)) throw assetNotFound()
  return completed(context, current)
}

/** The asset of a completed upload. After a replacement, that is the asset with its current version. */
async function completed(context: AccountContext, { asset, replaces }: Upload): Promise<Asset> {
  return replaces === null ? asset : getAsset(context, replaces.assetId)
}

/** The list that completes the upload: the parts that the caller named, and the other stored parts. */
function checkParts(upload: Upload, received: StoredPart[], named: NamedPart[]): NamedPart[] {
  const plan = partPlan(upload.asset.bytes, upload.chunkSize)
  const match = matchParts(plan, received, named)
  if (match.problems.length > 0) throw invalid({ parts: match.problems })
  return match.parts
}

/**
 * The storage has neither the upload nor its object, so all parts are missing, unless another call has
 * completed the upload in the meantime (and perhaps a third has deleted the asset).
 */
async function checkMissing(context: AccountContext, upload: Upload): Promise<void> {
  const status = (await context.data.findUpload(upload.asset.id))?.asset.status
  if (status === 'uploading' || status === 'completing') checkParts(upload, [], [])
}

function completionRefused(reason: string) {
  return new ServiceError(
    'completion_refused',
    `The storage refused to complete the upload: ${reason}. Fix the cause and complete the upload again, or cancel it.`,
  )
}

function partsChanged(numbers: number[]) {
  return invalid({
    parts: [`${numbers.join(', ')} changed during the completion: send them again`],
  })
}
