import { formatSize } from '@stowage/protocol/format'
import { isVisible, type Upload } from '../../domain/asset.ts'
import { numbersBeyond } from '../../domain/match-parts.ts'
import { partPlan } from '../../domain/parts.ts'
import { availableBytes, type Usage } from '../../domain/plan.ts'
import { EngineUnavailable, invalid, ServiceError } from '../../errors.ts'
import type { StoredPart } from '../../storage/storage.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import type { AccountContext } from '../context.ts'
import { makeDiskSpace } from '../trash/make-disk-space.ts'
import { getUpload } from './get-upload.ts'
import { refuseCompleted } from './refuse-completed.ts'
import { type ResumedUpload, resumeUpload } from './resume-upload.ts'
import { storageExceeded } from './storage-exceeded.ts'
import { storageFull } from './storage-full.ts'
import { storageUploadOf } from './storage-upload-of.ts'

const MAX_ATTEMPTS = 3

/**
 * Changes the declared size of an unfinished upload, for files whose size is known only at the end,
 * and returns what `resumeUpload` returns. The chunk size stays the same, so only the last part changes
 * its length; a part that was received with another length counts as missing. A refusal does not change the size.
 */
export async function resizeUpload(
  context: AccountContext,
  assetId: string,
  request: { size: number; uploadId?: string | undefined },
  attempt = 1,
): Promise<ResumedUpload> {
  const { size, uploadId } = request
  const upload = await getUpload(context, assetId, uploadId)
  const { id } = upload.asset
  const { status } = upload.asset
  if (!isVisible(status)) throw assetNotFound()
  refuseCompleted(status, upload)
  const received = await context.storage.listParts(storageUploadOf(upload))
  if (received === undefined) {
    if (attempt === MAX_ATTEMPTS) throw notOpened()
    // Resuming opens the upload again, or makes its asset ready. If the asset is ready, the next attempt is refused.
    await resumeUpload(context, assetId, uploadId)
    return resizeUpload(context, assetId, request, attempt + 1)
  }
  await checkSize(context, upload, { size, received })
  const resizing = await context.data.resizeUpload(id, size)
  if (resizing.outcome === 'storage_exceeded') {
    throw planExceeded(resizing.growth, resizing.usage)
  }
  if (resizing.outcome === 'final') throw sizeIsFinal()
  if (resizing.outcome === 'refused') {
    if (resizing.status === undefined || !isVisible(resizing.status)) throw assetNotFound()
    refuseCompleted(resizing.status, upload)
    // The status is `uploading` again: it was different only for a moment.
    return resizeUpload(context, assetId, request, attempt)
  }
  return resumeUpload(context, assetId, uploadId)
}

function notOpened(): EngineUnavailable {
  return new EngineUnavailable(
    'storage',
    new Error('an upload that was just created does not exist'),
  )
}

/** Refuses a size that the storage cannot hold, or that is too small for the received parts. */
async function checkSize(
  context: AccountContext,
  { asset, chunkSize }: Upload,
  { size, received }: { size: number; received: StoredPart[] },
): Promise<void> {
  const { data, storage } = context
  const plan = partPlan(size, chunkSize)
  if (plan.count > storage.maxParts) {
    const most = storage.maxParts * chunkSize
    throw invalid({
      size: [
        `must be at most ${most} bytes (${storage.maxParts} parts of ${chunkSize} bytes). Start a new upload with this size to get larger parts`,
      ],
    })
  }
  const [first] = numbersBeyond(plan, received)
  if (first !== undefined) {
    throw invalid({
      size: [
        `is smaller than the parts already received: part ${first} begins at ${(first - 1) * chunkSize}`,
      ],
    })
  }
  if (size <= asset.bytes) return
  const free = await storage.freeBytes()
  const needed = size - received.reduce((sum, part) => sum + part.size, 0)
  if (free === undefined || needed <= free) return
  const { limit, stored, reserved } = await data.readSummary()
  const growth = size - asset.bytes
  // If the size exceeds the plan as well, the plan is the reason, as it is for a new upload.
  const isBeyondPlan = growth > availableBytes({ limit, stored, reserved })
  if (isBeyondPlan) throw planExceeded(growth, { limit, stored, reserved })
  const available = await makeDiskSpace(context, needed)
  if (available !== undefined && needed > available) throw storageFull(needed, available)
}

/** A completion that began earlier may still be running in the storage, with the size at that time. */
function sizeIsFinal(): ServiceError {
  return new ServiceError(
    'upload_completing',
    'The size cannot be changed, because a completion was already attempted. Complete the upload again, or cancel it and start a new one.',
  )
}

function planExceeded(growth: number, usage: Usage): ServiceError {
  return storageExceeded(`The upload needs ${formatSize(growth)} more`, growth, usage)
}
