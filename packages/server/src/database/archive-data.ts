import type { Archive, ArchiveSegment, StoredSegment } from '../domain/archive.ts'
import type { Asset } from '../domain/asset.ts'

/** A ready asset that an archive can contain. */
export interface ArchivedAsset {
  asset: Asset
  /** The object of its current version; undefined for a link. */
  file: { key: string; chunkSize: number; createdAt: Date; crc32: number | undefined } | undefined
}

export interface NewArchive extends Omit<Archive, 'accountId'> {
  /** The stored API key of the caller. The archive can be downloaded as long as the key is valid. */
  keyId: string | null
  /** Identifies what was requested, and the versions that it consists of. */
  selection: string
  segments: StoredSegment[]
}

export interface ArchiveLimits {
  /** The archive is forgotten after this time, by the database's clock. */
  keptForMs: number
  /** An account keeps at most so many archives. */
  maxArchives: number
  /** The segments of all archives of an account have at most so many characters. */
  maxLength: number
}

/** The archives of one account. */
export interface AccountArchives {
  /** Those of these assets that are ready, in the order of their IDs. */
  findArchivedAssets(ids: string[]): Promise<ArchivedAsset[]>
  /**
   * Stores an archive. If the account has one of the same selection already, that one is returned instead and kept for
   * longer. The archives that were requested least recently are removed if there are too many. Never removes the returned one.
   */
  addArchive(archive: NewArchive, limits: ArchiveLimits): Promise<Archive>
}

/** The archives of all accounts: a signed URL names an archive, not an account. */
export interface ArchiveData {
  /** Undefined if it is unknown or was forgotten. `isRevoked`: the key that created it was revoked or has expired. */
  findArchive(id: string): Promise<(Archive & { isRevoked: boolean }) | undefined>
  listArchiveSegments(id: string): Promise<ArchiveSegment[]>
  /** The entries of a segment, as they were stored. */
  readArchiveSegment(id: string, number: number): Promise<string | undefined>
  /** The objects with these keys, in any order. Unknown ones are left out. */
  readObjects(keys: string[]): Promise<ObjectState[]>
  /** How many of these objects are kept and not damaged. */
  countIntactObjects(keys: string[]): Promise<number>
  /** Keeps the CRC-32 of an object, unless one is known. */
  keepCrc32(key: string, crc32: number): Promise<void>
  /** Removes at most `limit` archives that have expired by the database's clock. Returns their number. */
  forgetArchives(limit: number): Promise<number>
}

export interface ObjectState {
  key: string
  isDamaged: boolean
  /** Whether it is the object of a version of a ready asset. False in the trash. */
  isKept: boolean
  crc32: number | undefined
}
