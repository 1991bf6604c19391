import type { SecretKey } from '../crypto/secret-key.ts'
import type { Database } from '../database/database.ts'
import type { Storage, StorageContents } from '../storage/storage.ts'

/** Where rows come from, and where they go. */
export interface Databases {
  /** The source is only read, never changed. */
  source: { database: Database; secretKey: SecretKey | undefined }
  /** Without a key, secrets stay encrypted as they are. */
  target: { database: Database; secretKey: SecretKey | undefined }
}

export interface Move {
  source: Databases['source'] & { contents: Pick<StorageContents, 'readPart'> }
  target: Databases['target'] & { storage: Storage; chunkSize: number }
  /**
   * The source is a backup, and its service may have continued after it: nothing is sent again that it may have sent since.
   */
  isRestore?: boolean
  /** The files in the target are divided into parts as in the source. */
  keepParts?: boolean
  /** Copies only files, while the service runs, to shorten the downtime of the move that follows. */
  ahead: boolean
  /** Reads every file from both sides and compares it. */
  verify: boolean
  /** Continues after a file of the source that is damaged. Its asset is copied without it, and marked as damaged. */
  skipDamaged: boolean
  /** The data folder of the source, for the record of the unfinished move in the target. */
  from: string
  clock: () => Date
  newId: () => string
  /** Runs a transfer once a slot is free. */
  inSlot: <Result>(task: () => Promise<Result>) => Promise<Result>
  onDamaged: (file: DamagedFile) => void
  /** Counts bytes that are in the target; negative: that were removed again. `isSent`: this run has sent them. */
  onBytes: (count: number, isSent: boolean) => void
}

/** A file of the source that cannot be read, or whose bytes are not those that were uploaded. */
export interface DamagedFile {
  /** The ID of its asset. */
  id: string
  filename: string
  version: number
  reason: string
}

export interface MoveProgress {
  assets: number
  bytes: number
  totalAssets: number
  totalBytes: number
}

export interface MoveResult {
  accounts: number
  products: number
  assets: number
  bytes: number
  /** The part of `bytes` that this run sent. */
  bytesSent: number
  /** Unfinished uploads of the source, which are not copied. */
  uploadsLeft: number
  /** Files that were skipped, by the order of their assets' IDs. */
  damaged: DamagedFile[]
}

/** The target has assets or events that do not exist in the source or differ from it. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
