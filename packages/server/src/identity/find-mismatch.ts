import type { DatabaseIdentity } from '../database/database.ts'
import type { StorageIdentity } from '../storage/storage.ts'

/**
 * Returns the reason why database and storage do not belong together; undefined if they do, or if neither is bound yet.
 */
export function findMismatch(
  database: DatabaseIdentity,
  storage: StorageIdentity | undefined,
): string | undefined {
  const { id, storageId } = database
  if (storage === undefined) {
    return storageId === undefined
      ? undefined
      : `the storage has no identity, but the database belongs to the storage ${storageId}; the storage may be empty, not mounted, or the wrong one`
  }
  if (storage.databaseId !== id) {
    return `the storage belongs to the database ${storage.databaseId}, but this is the database ${id}`
  }
  if (storageId !== undefined && storageId !== storage.storageId) {
    return `the database belongs to the storage ${storageId}, but this is the storage ${storage.storageId}`
  }
  return undefined
}

/** What to do about a mismatch. */
export const REMEDY =
  'Correct STOWAGE_DATA, STOWAGE_DATABASE or STOWAGE_STORAGE. If they should belong together, run: stowage adopt'
