import type { Database, DatabaseIdentity } from '../database/database.ts'
import type { StorageContents, StorageIdentity } from '../storage/storage.ts'

interface Engines {
  database: Database
  storage: Pick<StorageContents, 'readIdentity' | 'createIdentity' | 'replaceIdentity'>
}

/**
 * Refuses a database and storage that do not belong together. If neither is bound yet, it binds
 * them: each stores the identity of the other. Several instances may do this concurrently. Returns the identity of the
 * database.
 */
export async function bindStorage({ database, storage }: Engines): Promise<DatabaseIdentity> {
  const own = await database.readIdentity()
  let marker = await storage.readIdentity()
  if (marker === undefined && own.storageId === undefined) {
    marker = await storage.createIdentity(own.id)
  }
  if (marker?.databaseId === own.id && own.storageId === undefined) {
    own.storageId = await database.bindStorage(marker.storageId)
  }
  const mismatch = findMismatch(own, marker)
  if (mismatch !== undefined) {
    throw new Error(`The database and the storage do not belong together: ${mismatch}. ${REMEDY}`)
  }
  return own
}

/** Binds database and storage to each other, regardless of earlier bindings. */
export async function rebindStorage({ database, storage }: Engines): Promise<void> {
  const { id } = await database.readIdentity()
  const { storageId } = await storage.replaceIdentity(id)
  await database.rebindStorage(storageId)
}

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

/** The mark of a restore, as `DatabaseIdentity.unfinishedMove`. */
export function markOfRestore(folder: string, generation: string): string {
  return `${RESTORE}${generation} ${folder}`
}

const RESTORE = 'backup '

export function describeUnfinishedMove(from: string): string {
  if (from.startsWith(RESTORE)) {
    return `A restore from the ${from} has not been finished, so a part of the data is missing`
  }
  return `A move from ${from} to this database has not been finished, so a part of the data may be missing`
}

export function resumeMove(from: string): string {
  if (from.startsWith(RESTORE)) {
    const [generation, ...folder] = from.slice(RESTORE.length).split(' ')
    return `Finish it with: stowage restore ${folder.join(' ')} --generation ${generation}. To discard it instead, empty this database and its storage`
  }
  return `Finish it with: stowage move --from ${from}. To discard it instead, empty this database and its storage`
}

/** What to do about a mismatch. */
export const REMEDY =
  'Correct STOWAGE_DATA, STOWAGE_DATABASE or STOWAGE_STORAGE. If they should belong together, run: stowage adopt'
