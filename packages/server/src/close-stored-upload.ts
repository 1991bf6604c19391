import type { Database } from './database/database.ts'
import type { StorageContents, StorageUpload } from './storage/storage.ts'

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
