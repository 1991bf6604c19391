import { formatSize } from '@stowage/protocol/format'
import { isVisible, type Upload } from '../../domain/asset.ts'
import { numbersBeyond } from '../../domain/match-parts.ts'
import { partPlan } from '../../domain/parts.ts'
import { availableBytes, type Usage } from '../../domain/plan.ts'
import { EngineUnavailable, invalid, ServiceError } from '../../errors.ts'
import type { StoredPart } from '../../storage/storage.ts'
import { assetNotFound } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from './get-upload.ts'
import { refuseEnded } from './refuse-ended.ts'
import { type ResumedUpload, resumeUpload } from './resume-upload.ts'
import { storageUploadOf } from './sign-parts.ts'
import { storageExceeded, storageFull } from './storage-exceeded.ts'

const MOST_ATTEMPTS = 3

/**
 * Changes the declared size of an unfinished upload, for files whose size is known only at the end,
 * and answers as `resumeUpload` does. The chunk size stays, so only the last part changes its length;
 * a part that was received with another length is missing. A refusal changes nothing.
 */
export async function resizeUpload(
  context: AccountContext,
  assetId: string,
  request: { size: number },
  attempt = 1,
): Promise<ResumedUpload> {
  const { size } = request
  const upload = await getUpload(context, assetId)
  const { status } = upload.asset
  if (!isVisible(status)) throw assetNotFound()
  refuseEnded(status)
  const held = await context.storage.listParts(storageUploadOf(upload))
  if (held === undefined) {
    if (attempt === MOST_ATTEMPTS) throw notOpened()
    // It is opened again, or has become ready: then it is refused.
    await resumeUpload(context, assetId)
    return resizeUpload(context, assetId, request, attempt + 1)
  }
  await checkSize(context, upload, { size, held })
  const resizing = await context.data.resizeUpload(assetId, size)
  if (resizing.outcome === 'storage_exceeded') {
    throw planExceeded(resizing.growth, resizing.usage)
  }
  if (resizing.outcome === 'final') throw sizeIsFinal()
  if (resizing.outcome === 'refused') {
    if (resizing.status === undefined || !isVisible(resizing.status)) throw assetNotFound()
    refuseEnded(resizing.status)
    // It was not uploading for a moment.
    return resizeUpload(context, assetId, request, attempt)
  }
  return resumeUpload(context, assetId)
}

/** A store that does not know an upload that it has just opened. */
function notOpened(): EngineUnavailable {
  return new EngineUnavailable('storage', new Error('it does not know an upload that it opened'))
}

/** What the storage can take, and what it has already. */
async function checkSize(
  { data, storage }: AccountContext,
  { asset, chunkSize }: Upload,
  { size, held }: { size: number; held: StoredPart[] },
): Promise<void> {
  const plan = partPlan(size, chunkSize)
  if (plan.count > storage.maxParts) {
    const most = storage.maxParts * chunkSize
    throw invalid({
      size: [
        `must be at most ${most} bytes: ${storage.maxParts} parts of ${chunkSize} each. Start a new upload with its size for longer parts`,
      ],
    })
  }
  const [first] = numbersBeyond(plan, held)
  if (first !== undefined) {
    throw invalid({
      size: [`is less than what was received: part ${first} begins at ${(first - 1) * chunkSize}`],
    })
  }
  if (size <= asset.bytes) return
  const free = await storage.freeBytes()
  const needed = size - held.reduce((sum, part) => sum + part.size, 0)
  if (free === undefined || needed <= free) return
  const { limit, stored, reserved } = await data.readSummary()
  const growth = size - asset.bytes
  // What exceeds the plan, too, is refused for that, as at signing.
  const isBeyondPlan = growth > availableBytes({ limit, stored, reserved })
  throw isBeyondPlan ? planExceeded(growth, { limit, stored, reserved }) : storageFull(needed, free)
}

/** Whoever began the completion may still be at work in the storage, with the size that it had then. */
function sizeIsFinal(): ServiceError {
  return new ServiceError(
    'upload_completing',
    'A completion of this upload has begun before, so its size can’t change any more. Complete it again, or cancel it and start a new upload.',
  )
}

function planExceeded(growth: number, usage: Usage): ServiceError {
  return storageExceeded(`The upload needs ${formatSize(growth)} more`, growth, usage)
}
