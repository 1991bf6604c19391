import type { Database, DatabaseIdentity } from '../database/database.ts'
import type { StorageContents } from '../storage/storage.ts'
import { findMismatch, REMEDY } from './find-mismatch.ts'

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
