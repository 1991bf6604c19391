import type { Database } from '../database/database.ts'
import type { Storage, StorageContents } from '../storage/storage.ts'

export interface Move {
  /** Is only read. */
  source: { database: Database; contents: StorageContents }
  target: { database: Database; storage: Storage; chunkSize: number }
  /** Carries the files only, so that the stop for the rest is short. */
  ahead: boolean
  /** Reads every file back from the target and compares it. */
  verify: boolean
  clock: () => Date
  newId: () => string
  /** Runs a transfer when there is room for one more. */
  inSlot: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** So much more is at the target; `isSent` when this run brought it there. */
  onBytes: (count: number, isSent: boolean) => void
}

export interface MoveProgress {
  assets: number
  bytes: number
  totalAssets: number
  totalBytes: number
}

/** What became of it. */
export interface MoveResult {
  accounts: number
  products: number
  assets: number
  bytes: number
  /** Of these, what this run itself sent. */
  bytesSent: number
  /** Uploads under way, which are not carried. */
  uploadsLeft: number
}

/** The target has contents that the source has not, or has otherwise. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
