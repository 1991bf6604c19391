import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import type { Upload } from '../../domain/asset.ts'
import type { PartRange } from '../../domain/parts.ts'
import type { StorageContents, StorageUpload } from '../../storage/storage.ts'
import type { AccountContext } from '../context.ts'

/**
 * Opens the upload in the storage. Some storage engines choose the upload’s ID themselves. With them, if several
 * calls open the same upload concurrently, one ID is recorded; the other calls abort what they opened
 * and return undefined.
 */
export async function openInStorage<Opened extends Pick<Upload, 'asset' | 'storageId' | 'key'>>(
  { data, storage }: AccountContext,
  upload: Opened,
): Promise<Opened | undefined> {
  const { id, mime } = upload.asset
  const storageId = await storage.createUpload({ ...storageUploadOf(upload), mime })
  if (storageId === upload.storageId) return upload
  const opened = { ...upload, storageId }
  if (await data.recordStorageId(id, { previous: upload.storageId, storageId })) return opened
  await storage.abortUpload(storageUploadOf(opened))
  return undefined
}

/** Whether the service still accepts parts of the upload. */
export async function isUploadOpen(
  database: Pick<Database, 'readStates'>,
  { key }: StorageUpload,
): Promise<boolean> {
  const status = (await database.readStates([key])).get(key)?.status
  return status === 'uploading' || status === 'completing'
}

export interface SignedPart extends PartRange {
  url: string
}

interface SignedParts {
  parts: SignedPart[]
  /** When the first of the URLs expires. The upload is kept for longer and can be signed again. */
  urlsExpireAt: Date
}

/** How many URLs are signed before other requests get a turn. */
const SIGNED_AT_ONCE = 500

export async function signParts(
  { storage, clock, settings }: AccountContext,
  upload: Pick<Upload, 'storageId' | 'key'>,
  ranges: PartRange[],
): Promise<SignedParts> {
  const stored = storageUploadOf(upload)
  const parts: SignedPart[] = []
  let urlsExpireAt = new Date(clock().getTime() + settings.signedForMs)
  for (let start = 0; start < ranges.length; start += SIGNED_AT_ONCE) {
    if (start > 0) await nextTurn()
    const batch = ranges.slice(start, start + SIGNED_AT_ONCE)
    const signed = await storage.signParts(stored, batch, urlsExpireAt)
    for (const [index, range] of batch.entries()) {
      parts.push({ ...range, url: signed.urls[index] ?? '' })
    }
    urlsExpireAt = signed.expiresAt
  }
  return { parts, urlsExpireAt }
}

/**
 * Removes the parts of a cancelled or expired upload. Never fails: the upload has ended whether or not the
 * storage is available now, and a background job retries later.
 */
export async function removeParts(
  { storage, warn }: Pick<AccountContext, 'storage' | 'warn'>,
  upload: Upload,
): Promise<void> {
  try {
    await storage.abortUpload(storageUploadOf(upload))
  } catch (error) {
    warn('could not remove the parts of an upload that has ended; a job will retry', error)
  }
}

interface Ports {
  database: Pick<Database, 'readStates'>
  storage: Pick<StorageContents, 'closeUpload' | 'listUploads' | 'removeObject'>
}

/**
 * Whether the storage still lists the upload. Call it after the asset was found to be ready: an earlier list may be
 * from before the completion.
 */
export async function isStillOpen(
  storage: Pick<StorageContents, 'listUploads'>,
  { key, id }: StorageUpload,
): Promise<boolean> {
  for await (const open of storage.listUploads(key)) if (open.id === id) return true
  return false
}

/** Closes an upload that the storage still lists although its object is stored. The object is kept. */
export async function closeStoredUpload(
  { database, storage }: Ports,
  upload: StorageUpload,
): Promise<void> {
  if (!(await isStillOpen(storage, upload))) return
  await storage.closeUpload(upload)
  // If the asset was removed in the meantime, closing may have stored its object again.
  const state = (await database.readStates([upload.key])).get(upload.key)
  const isRemoved = state !== undefined && state.status !== 'ready' && !state.isSuperseded
  if (isRemoved) await storage.removeObject(upload.key)
}

/** How the storage identifies an upload. */
export function storageUploadOf(upload: Pick<Upload, 'storageId' | 'key'>): StorageUpload {
  return { id: upload.storageId, key: upload.key }
}
