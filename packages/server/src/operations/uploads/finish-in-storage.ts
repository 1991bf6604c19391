import type { Upload } from '../../domain/asset.ts'
import type { NamedPart } from '../../domain/match-parts.ts'
import { partPlan } from '../../domain/parts.ts'
import type { CompletionOutcome } from '../../storage/storage.ts'
import type { AccountContext } from '../context.ts'
import { storageUploadOf } from './storage-upload-of.ts'

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
  const { data, storage } = context
  const { id, bytes } = upload.asset
  const plan = partPlan(bytes, upload.chunkSize)
  const outcome = await storage.completeUpload(storageUploadOf(upload), plan, parts)
  const isReady = outcome.outcome === 'completed' && (await markReady(context, id))
  if (outcome.outcome !== 'completed') await data.reopenUpload(id)
  return { ...outcome, isReady }
}

/**
 * The storage has the object. A concurrent call that was refused may have reopened the upload in the
 * meantime. If the upload was then cancelled, its removal also removes the object; but some S3-compatible storage
 * completes an upload after it confirmed the removal. Returns whether the asset became ready, perhaps by another call.
 */
async function markReady(
  { data, storage, settings }: AccountContext,
  id: string,
): Promise<boolean> {
  const { uploadsKeptForMs: keptForMs, keepVersions, checksums: withhold } = settings
  let status = await data.finishCompletion(id, { keepVersions, withhold })
  while (status === 'uploading' || status === 'completing') {
    await data.beginCompletion(id, { keptForMs })
    status = await data.finishCompletion(id, { keepVersions, withhold })
  }
  // If the row no longer exists, the state of the object is unknown: it may be an older version by now.
  if (status !== 'ready' && status !== undefined) await storage.removeObject(id)
  return status === 'ready'
}
