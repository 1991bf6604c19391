import { formatSize } from '@stowage/protocol/format'
import { isVisible, type Upload } from '../../domain/asset.ts'
import { EngineUnavailable, invalid, ServiceError } from '../../domain/errors.ts'
import { numbersBeyond, partPlan } from '../../domain/parts.ts'
import { availableBytes, type Usage } from '../../domain/usage.ts'
import type { StoredPart } from '../../storage/storage.ts'
import type { AccountContext } from '../context.ts'
import {
  assetNotFound,
  refuseCompleted,
  storageExceeded,
  storageFull,
  tokenExceeded,
} from '../refusals.ts'
import { storageUploadOf } from './in-storage.ts'
import { type ResumedUpload, resumeUpload } from './resume.ts'
import { findDiskSpace, makeDiskSpace, reserveProvisionally, wholeParts } from './space.ts'
import { getUpload } from './uploads.ts'

const MAX_ATTEMPTS = 3

/**
 * Changes the declared size of an unfinished upload, for files whose size is known only at the end,
 * and returns what `resumeUpload` returns. The chunk size stays the same, so only the last part changes
 * its length; a part that was received with another length counts as missing. A refusal does not change the size.
 *
 * With `minSize`, only that many bytes are certain, and `size` is an estimate, which removes no trash: the upload gets as
 * much of it as fits.
 */
export async function resizeUpload(
  context: AccountContext,
  assetId: string,
  request: { size: number; minSize?: number | undefined; uploadId?: string | undefined },
  attempt = 1,
): Promise<ResumedUpload> {
  const { size, minSize = size, uploadId } = request
  if (minSize > size) throw invalid({ minSize: ['must be at most size'] })
  const upload = await getUpload(context, assetId, uploadId)
  const { status } = upload
  const { id, bytes } = upload.asset
  if (!isVisible(status)) throw assetNotFound()
  refuseCompleted(status, upload)
  const received = await context.storage.listParts(storageUploadOf(upload))
  if (received === undefined) {
    if (attempt === MAX_ATTEMPTS) throw notOpened()
    // Resuming opens the upload again, or makes its asset ready. If the asset is ready, the next attempt is refused.
    await resumeUpload(context, assetId, uploadId)
    return resizeUpload(context, assetId, request, attempt + 1)
  }
  checkParts(context, upload, { size, minSize, received })
  const isEstimate = minSize < size
  // An estimate never takes away what is reserved.
  const least = isEstimate ? Math.min(size, Math.max(minSize, bytes)) : size
  const sent = received.reduce((sum, part) => sum + part.size, 0)
  const disk =
    least > bytes ? await findDiskSpace(context, least - sent) : await measureDisk(context)
  if (least > bytes && disk.freeWithoutTrash < least - sent) {
    throw await refuseWithoutSpace(context, { growth: least - bytes, needed: least - sent, disk })
  }
  const { chunkSize } = upload
  const wanted =
    disk.free === undefined ? size : Math.min(size, wholeParts(disk.free + sent, chunkSize))
  const { size: resized, result } = await reserveProvisionally(
    { least, wanted, chunkSize },
    (next, isProvisional) =>
      context.data.resizeUpload(id, next, {
        ...(isProvisional && { isProvisional }),
        ...(isEstimate && { expectedBytes: bytes }),
        ...byToken(context),
      }),
  )
  if (result.outcome === 'storage_exceeded') throw planExceeded(result.growth, result.usage)
  if (result.outcome === 'token_exceeded') throw tokenExceeded(resized, result.remaining)
  if (result.outcome === 'final') throw sizeIsFinal()
  // Another call has changed the size meanwhile, and the estimate must not take away what that call has reserved.
  if (result.outcome === 'changed') return resizeUpload(context, assetId, request, attempt)
  if (result.outcome === 'refused') {
    if (result.status === undefined || !isVisible(result.status)) throw assetNotFound()
    refuseCompleted(result.status, upload)
    // The status is `uploading` again: it was different only for a moment.
    return resizeUpload(context, assetId, request, attempt)
  }
  if (least > bytes) await takeDiskSpace(context, upload, { resized, needed: least - sent })
  return resumeUpload(context, assetId, uploadId)
}

/** An upload that its token resizes counts with its new size for the limit of the token. */
function byToken({ uploadToken }: AccountContext): { tokenId?: string } {
  return uploadToken === undefined ? {} : { tokenId: uploadToken.id }
}

async function measureDisk({ storage }: AccountContext) {
  return { free: await storage.freeBytes(), freeWithoutTrash: 0 }
}

/** Neither the disk nor the trash of the account has this space. If the plan is exceeded as well, it is the reason. */
async function refuseWithoutSpace(
  { data }: AccountContext,
  { growth, needed, disk }: { growth: number; needed: number; disk: { free: number | undefined } },
): Promise<ServiceError> {
  const { limit, stored, reserved } = await data.readSummary()
  const usage = { limit, stored, reserved }
  return growth > availableBytes(usage)
    ? planExceeded(growth, usage)
    : storageFull(needed, disk.free ?? 0)
}

/**
 * Removes the oldest trash if the disk is full. Runs after the size has changed: a resize that is refused must not remove
 * trash. If another program has taken the space meanwhile, the upload gets its former size again, unless another call has
 * changed the size.
 */
async function takeDiskSpace(
  context: AccountContext,
  { asset }: Upload,
  { resized, needed }: { resized: number; needed: number },
): Promise<void> {
  const free = await makeDiskSpace(context, needed)
  if (free === undefined || needed <= free) return
  const options = { expectedBytes: resized, ...byToken(context) }
  await context.data.resizeUpload(asset.id, asset.bytes, options)
  throw storageFull(needed, free)
}

function notOpened(): EngineUnavailable {
  return new EngineUnavailable(
    'storage',
    new Error('an upload that was just created does not exist'),
  )
}

/** Refuses a size that the storage cannot hold, or that is too small for the received parts. */
function checkParts(
  { storage }: AccountContext,
  { chunkSize }: Upload,
  { size, minSize, received }: { size: number; minSize: number; received: StoredPart[] },
): void {
  if (partPlan(size, chunkSize).count > storage.maxParts) {
    const most = storage.maxParts * chunkSize
    throw invalid({
      size: [
        `must be at most ${most} bytes (${storage.maxParts} parts of ${chunkSize} bytes). Start a new upload with this size to get larger parts`,
      ],
    })
  }
  const [first] = numbersBeyond(partPlan(minSize, chunkSize), received)
  if (first === undefined) return
  const problem = `is smaller than the parts already received: part ${first} begins at ${(first - 1) * chunkSize}`
  throw invalid(minSize < size ? { minSize: [problem] } : { size: [problem] })
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
