import { type Asset, isVisible, type Upload } from '../../domain/asset.ts'
import { matchParts, type NamedPart } from '../../domain/match-parts.ts'
import { partPlan } from '../../domain/parts.ts'
import { invalid, ServiceError } from '../../errors.ts'
import type { CompletionOutcome, StoredPart } from '../../storage/storage.ts'
import { assetNotFound } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { checkUploadId, getUpload } from './get-upload.ts'
import { storageUploadOf } from './sign-parts.ts'

/**
 * Makes the asset ready, once all of its parts are in the storage. A refusal leaves the upload as
 * it was; repeating a success gives the same answer. Of racing calls one decides, and the others
 * help it along.
 */
export async function completeUpload(
  context: AccountContext,
  assetId: string,
  request: { uploadId: string; parts: NamedPart[] },
): Promise<Asset> {
  const { data, storage, settings } = context
  const { uploadsKeptForMs: keptForMs } = settings
  const upload = await getUpload(context, assetId)
  if (!isVisible(upload.asset.status)) throw assetNotFound()
  checkUploadId(upload, request.uploadId)
  if (upload.asset.status === 'ready') return upload.asset

  const held = await storage.listParts(storageUploadOf(upload))
  // Where the upload is closed, the completion finds out whether it became the object.
  const parts = held === undefined ? [] : checkParts(upload, held, request.parts)

  const { status } = await data.beginCompletion(assetId, {
    keptForMs,
    bytes: upload.asset.bytes,
  })
  // The parts were compared with a size that is not the declared one any more.
  if (status === 'resized') return completeUpload(context, assetId, request)
  if (status === 'completing') {
    const outcome = await finishInStorage(context, upload, parts)
    if (outcome.outcome === 'refused') throw partsChanged(outcome.parts)
    if (outcome.outcome === 'gone') await checkMissing(context, upload)
    if (outcome.outcome === 'rejected') throw completionRefused(outcome.reason)
  }
  const { asset } = await getUpload(context, assetId)
  if (!isVisible(asset.status)) throw assetNotFound()
  return asset
}

/** The list that completes the upload: what the caller named, filled up with what is stored. */
function checkParts(upload: Upload, held: StoredPart[], named: NamedPart[]): NamedPart[] {
  const plan = partPlan(upload.asset.bytes, upload.chunkSize)
  const match = matchParts(plan, held, named)
  if (match.problems.length > 0) throw invalid({ parts: match.problems })
  return match.parts
}

/** All parts are missing; unless others have completed it meanwhile, and perhaps deleted it since. */
async function checkMissing(context: AccountContext, upload: Upload): Promise<void> {
  const { status } = (await getUpload(context, upload.asset.id)).asset
  if (status === 'uploading' || status === 'completing') checkParts(upload, [], [])
}

/**
 * Carries out a completion that was decided on. Repeatable: the job that repairs crashes does it.
 * Unless it is completed, it is an upload again. That is no harm where another call completes it at
 * the same time: `settle` brings it back, and so does whoever finds the object of an upload.
 */
export async function finishInStorage(
  context: AccountContext,
  upload: Upload,
  parts: NamedPart[],
): Promise<CompletionOutcome> {
  const { data, storage } = context
  const { id, bytes } = upload.asset
  const plan = partPlan(bytes, upload.chunkSize)
  const outcome = await storage.completeUpload(storageUploadOf(upload), plan, parts)
  if (outcome.outcome === 'completed') await settle(context, id)
  else await data.reopenUpload(id)
  return outcome
}

/**
 * Where the storage has the object of an upload already, the upload becomes ready: its completion was
 * cut off behind the storage's part. False when there is none.
 */
export async function finishIfStored(context: AccountContext, upload: Upload): Promise<boolean> {
  const { data, storage, settings } = context
  const { id, bytes } = upload.asset
  const object = await storage.findObject(id)
  if (object?.size !== bytes) return false
  const { uploadsKeptForMs: keptForMs } = settings
  const { status } = await data.beginCompletion(id, { keptForMs, bytes })
  if (status === 'resized') return false
  await finishInStorage(context, upload, [])
  return true
}

/**
 * The storage has the object. A call that was refused beside this one may have reopened the upload
 * meanwhile. If it was then cancelled, its removal takes the object, too; but some stores complete an
 * upload that they have just confirmed as removed.
 */
async function settle({ data, storage, settings }: AccountContext, id: string): Promise<void> {
  const { uploadsKeptForMs: keptForMs } = settings
  let status = await data.finishCompletion(id)
  while (status === 'uploading' || status === 'completing') {
    await data.beginCompletion(id, { keptForMs })
    status = await data.finishCompletion(id)
  }
  if (status !== 'ready') await storage.removeObject(id)
}

function completionRefused(reason: string) {
  return new ServiceError(
    'completion_refused',
    `The storage refuses to complete the upload: ${reason}. Fix the cause and complete it again, or cancel it.`,
  )
}

function partsChanged(numbers: number[]) {
  return invalid({ parts: [`${numbers.join(', ')} changed meanwhile: send again`] })
}
