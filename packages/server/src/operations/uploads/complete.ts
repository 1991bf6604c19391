import { type Asset, isVisible, type Upload } from '../../domain/asset.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { matchParts, type NamedPart, partPlan } from '../../domain/parts.ts'
import type { CompletionOutcome, ObjectHashes, StoredPart } from '../../storage/storage.ts'
import { getAsset } from '../assets.ts'
import { type AccountContext, nextReadMs } from '../context.ts'
import { assetNotFound } from '../refusals.ts'
import { storageUploadOf } from './in-storage.ts'
import { getUpload } from './uploads.ts'

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
  if (!isVisible(upload.status)) throw assetNotFound()
  if (upload.status === 'ready') return completed(context, upload)

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
  if (!isVisible(current.status)) throw assetNotFound()
  return completed(context, current)
}

/** The asset of a completed upload. After a replacement, that is the asset with its current version. */
async function completed(
  context: AccountContext,
  { status, asset, replaces }: Upload,
): Promise<Asset> {
  return replaces === null ? { ...asset, status } : getAsset(context, replaces.assetId)
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
  const status = (await context.data.findUpload(upload.asset.id))?.status
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

/**
 * Completes an upload whose completion has begun. Idempotent: the job that repairs interrupted
 * completions calls it too. If the storage does not complete the upload, the upload is reopened. This is
 * safe even if another call completes it concurrently: `markReady` makes it ready, and so does every
 * call that finds the object of an upload.
 */
export async function finishInStorage(
  context: AccountContext,
  upload: Upload,
  parts: NamedPart[],
): Promise<CompletionOutcome & { isReady: boolean }> {
  const { data, storage, settings } = context
  const { id, bytes, integrity } = upload.asset
  const plan = partPlan(bytes, upload.chunkSize)
  const outcome = await storage.completeUpload(storageUploadOf(upload), plan, parts, {
    // Downloads wait for the comparison with a declared digest. Any other file is hashed later, by a job.
    hashes: settings.checksums && integrity.sha256 !== null,
  })
  const isReady =
    outcome.outcome === 'completed' && (await markReady(context, upload, outcome.hashes))
  if (outcome.outcome !== 'completed') await data.reopenUpload(id)
  return { ...outcome, isReady }
}

/**
 * The storage has the object. A concurrent call that was refused may have reopened the upload in the
 * meantime. If the upload was then cancelled, its removal also removes the object; but some S3-compatible storage
 * completes an upload after it confirmed the removal. Returns whether the asset became ready, perhaps by another call.
 */
async function markReady(
  { data, storage, settings, warn }: AccountContext,
  { asset: { id, integrity }, key }: Upload,
  hashes: ObjectHashes | undefined,
): Promise<boolean> {
  const { uploadsKeptForMs: keptForMs, keepVersions, checksums: withhold } = settings
  const read = hashes && { ...hashes, nextReadMs: nextReadMs(settings) }
  const finish = { keepVersions, withhold, read }
  let status = await data.finishCompletion(id, finish)
  while (status === 'uploading' || status === 'completing') {
    await data.beginCompletion(id, { keptForMs })
    status = await data.finishCompletion(id, finish)
  }
  // If the row no longer exists, the state of the object is unknown: it may be an older version by now.
  if (status !== 'ready' && status !== undefined) await storage.removeObject(key)
  if (read && integrity.sha256 !== null && integrity.sha256 !== read.sha256) {
    warn(`the object ${key} is damaged: its SHA-256 is not the expected one`, undefined)
  }
  return status === 'ready'
}

/**
 * Makes the asset ready if the storage already has its object: then a completion was interrupted after
 * the storage had completed the upload. Returns false if there is no such object, or if the size has changed since.
 */
export async function finishIfStored(context: AccountContext, upload: Upload): Promise<boolean> {
  const { data, storage, settings } = context
  const { id, bytes } = upload.asset
  const object = await storage.findObject(upload.key)
  if (object?.size !== bytes) return false
  const { uploadsKeptForMs: keptForMs } = settings
  const { status } = await data.beginCompletion(id, { keptForMs, bytes })
  if (status === 'resized') return false
  await finishInStorage(context, upload, [])
  return true
}
