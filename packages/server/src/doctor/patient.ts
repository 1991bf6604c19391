import type { Database } from '../database/database.ts'
import type { StoredThings } from '../storage/storage.ts'

/** What is compared: the rows of the database and the things in the storage. */
export interface Patient {
  database: Database
  things: StoredThings
  clock: () => Date
  /** Puts right what can be put right without losing anything. */
  repair: boolean
  /** Reads every byte of every file. */
  verify: boolean
  /** Told now and then how far it is. */
  onProgress: (text: string) => void
}

/** More removals than this at once would be a problem of its own. */
export const MANY_REMOVALS = 100_000
