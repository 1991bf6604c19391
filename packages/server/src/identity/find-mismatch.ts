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

/** Throws if a move to this database has started and not ended: it then has only a part of the data. */
export function refuseUnfinishedMove({ unfinishedMove }: DatabaseIdentity): void {
  if (unfinishedMove === undefined) return
  throw new Error(`${describeUnfinishedMove(unfinishedMove)}. ${resumeMove(unfinishedMove)}`)
}

export function describeUnfinishedMove(from: string): string {
  return `A move from ${from} to this database has not been finished, so a part of the data may be missing`
}

export function resumeMove(from: string): string {
  return `Finish it with: stowage move --from ${from}. To discard it instead, empty this database and its storage`
}

/** What to do about a mismatch. */
export const REMEDY =
  'Correct STOWAGE_DATA, STOWAGE_DATABASE or STOWAGE_STORAGE. If they should belong together, run: stowage adopt'
