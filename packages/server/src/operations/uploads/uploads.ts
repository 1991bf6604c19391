import { setTimeout as pause } from 'node:timers/promises'
import type { UploadQuery } from '../../database/account-data.ts'
import { isVisible, type Upload } from '../../domain/asset.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import type { PagePosition } from '../../domain/paging.ts'
import { countReceived, partPlan, type ReceivedParts } from '../../domain/parts.ts'
import { foldText } from '../../domain/search.ts'
import { forEachLimited, limitConcurrency } from '../../iterables/concurrency.ts'
import { getAsset } from '../assets.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing.ts'
import { assetNotFound, refuseCompleted } from '../refusals.ts'
import { getOwnUpload } from '../tokens.ts'
import { removeParts, storageUploadOf } from './in-storage.ts'

/**
 * The upload of a file, even if it was completed or cancelled, or has expired. The upload ID of a replacement
 * selects the upload of that new version. An upload token finds its own uploads only.
 */
export async function getUpload(
  context: AccountContext,
  assetId: string,
  uploadId?: string,
): Promise<Upload> {
  const { data, uploadToken } = context
  // UUIDs are not case-sensitive.
  const given = uploadId?.toLowerCase()
  if (uploadToken !== undefined) {
    return getOwnUpload(context, uploadToken, { assetId, uploadId: given })
  }
  const upload = await data.findUpload(assetId)
  if (upload === undefined) return refuseLink(context, assetId)
  // A replacement is only found by the ID of the asset that it replaces.
  if (upload.replaces !== null) throw assetNotFound()
  if (given === undefined || given === upload.id) return upload
  if (!isVisible(upload.status)) throw assetNotFound()
  const replacement = await data.findReplacement(assetId, given)
  if (replacement === undefined) throw invalid({ uploadId: ['does not belong to this asset'] })
  return replacement
}

/** Only a link is an asset without an upload. */
async function refuseLink(context: AccountContext, assetId: string): Promise<never> {
  await getAsset(context, assetId)
  throw new ServiceError(
    'not_found',
    'The asset is a link and has no upload. Call PUT /assets/:id to change its URL.',
  )
}

/** An empty filter means no filter. */
interface UploadListRequest extends Omit<UploadQuery, 'name'> {
  filename?: string | undefined
}

export interface ListedUpload {
  upload: Upload
  /** The number of parts of the whole file. */
  parts: number
  /** Undefined if the storage failed, or did not respond within the time limit. */
  received: ReceivedParts | undefined
}

/** Returns a function that lists unfinished uploads. All of its calls share a limit on calls to the storage. */
export function createUploadList(readReceived = createReceivedReader()) {
  return async (
    context: AccountContext,
    { filename, ...rest }: UploadListRequest,
  ): Promise<{ uploads: ListedUpload[]; position: PagePosition }> => {
    const query: UploadQuery = { ...rest, ...(filename && { name: foldText(filename) }) }
    const cursorOf = ({ asset }: Upload) => asset.id
    const { rows, position } = await readPage(query, context.data.listUploads, cursorOf)
    const uploading = rows.filter(({ status }) => status === 'uploading')
    const received = await readReceived(context, uploading)
    const uploads = rows.map((upload) => {
      const { status, asset, chunkSize } = upload
      const parts = partPlan(asset.bytes, chunkSize).count
      // A completion begins only when the storage has every part.
      const all = status === 'completing' ? { parts, bytes: asset.bytes } : undefined
      return { upload, parts, received: all ?? received.get(asset.id) }
    })
    return { uploads, position }
  }
}

/**
 * Frees the reserved bytes immediately and removes the parts. Repeating the call returns the same result. Cancelling
 * a replacement does not change the asset.
 */
export async function cancelUpload(
  context: AccountContext,
  assetId: string,
  request: { uploadId: string },
): Promise<Upload> {
  const upload = await getUpload(context, assetId, request.uploadId)
  const { won, status } = await context.data.cancelUpload(upload.asset.id)
  if (won) await removeParts(context, upload)
  if (status === 'cancelled') return upload
  if (status !== undefined) refuseCompleted(status, upload)
  throw assetNotFound()
}

interface ReadLimits {
  /** The maximum number of concurrent calls to the storage, for all requests together. */
  concurrent?: number
  /** The maximum number of concurrent calls to the storage, for one request. */
  perRequest?: number
  timeLimitMs?: number
}

/**
 * Returns a function that reads which parts of uploads the storage has, by the ID of the asset. It asks
 * the storage once per upload, for a limited time, and stops asking after the first failure. Uploads without
 * a response are omitted.
 */
export function createReceivedReader(limits: ReadLimits = {}) {
  const { concurrent = 16, perRequest = 8, timeLimitMs = 2000 } = limits
  const inSlot = limitConcurrency(concurrent)

  return async (
    { storage, warn }: Pick<AccountContext, 'storage' | 'warn'>,
    uploads: Upload[],
  ): Promise<Map<string, ReceivedParts>> => {
    const received = new Map<string, ReceivedParts>()
    const end = new AbortController()
    const { signal } = end

    async function read(upload: Upload): Promise<void> {
      // The time limit may have passed when a slot becomes free.
      if (signal.aborted) return
      const stored = await storage.listParts(storageUploadOf(upload))
      // Storage that has lost the upload has no parts of it.
      if (!signal.aborted) received.set(upload.asset.id, countReceived(upload, stored ?? []))
    }

    const reading = forEachLimited(uploads, { limit: perRequest, signal }, (upload) =>
      inSlot(() => read(upload)),
    ).catch((error: unknown) => warn('could not read the parts of unfinished uploads', error))
    const timeout = pause(timeLimitMs, undefined, { signal }).catch(() => {})
    await Promise.race([reading, timeout])
    end.abort()
    return received
  }
}
