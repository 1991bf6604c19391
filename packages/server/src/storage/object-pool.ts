import type { PartPlan } from '../domain/parts.ts'
import type { StorageContents } from './storage.ts'

/** An object that a backup needs. */
export interface PooledObject {
  key: string
  plan: PartPlan
  /** In hexadecimal. Undefined if it is not known. */
  sha256: string | undefined
}

/**
 * The objects of a backup, in a folder. An object never changes, so all generations of the backup share it. Each is
 * divided into parts as in the storage of the service, and its files have the format of the disk storage.
 */
export interface ObjectPool {
  /** Reads objects, and verifies the digests of their parts. */
  contents: Pick<StorageContents, 'readPart'>
  /** Undefined unless the pool has the whole object. Reads no bytes of it. */
  find(key: string): Promise<{ size: number; sha256: string } | undefined>
  /**
   * Copies an object into the pool and returns its SHA-256. The object appears when it is complete and synced; parts that
   * an interrupted call has copied are not copied again. With `folder`, the folder of the object in a disk storage, its
   * files are hard links if both are on one file system. Throws `DamagedObject` if the object is damaged or missing.
   */
  add(
    object: PooledObject,
    source: { contents: Pick<StorageContents, 'readPart'>; folder: string | undefined },
  ): Promise<{ sha256: string; isLinked: boolean }>
  /** All keys, sorted. */
  listKeys(): Promise<string[]>
  /** An object that does not exist is not an error. */
  remove(key: string): Promise<void>
}
