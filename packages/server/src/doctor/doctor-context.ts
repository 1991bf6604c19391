import type { Database } from '../database/database.ts'
import type { StorageContents } from '../storage/storage.ts'

/** What is compared: the rows of the database and the contents in the storage. */
export interface DoctorContext {
  database: Database
  contents: StorageContents
  clock: () => Date
  /** How long an upload may take before it asks again. */
  signedForMs: number
  /** Puts right what can be put right without losing anything. */
  repair: boolean
  /** Reads every byte of every file. */
  verify: boolean
  /** Told now and then how far it is. */
  onProgress: (text: string) => void
}

/** More removals than this at once would be a problem of its own. */
const MANY_REMOVALS = 100_000

/** What the jobs have not got to yet. */
export async function keysBeingRemoved(database: Database): Promise<Set<string>> {
  const removals = await database.listRemovals(MANY_REMOVALS)
  return new Set(removals.map(({ key }) => key))
}
