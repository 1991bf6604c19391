import type { Database } from '../database/database.ts'
import type { StorageContents } from '../storage/storage.ts'

/** Doctor compares the rows of the database with the contents of the storage. */
export interface DoctorContext {
  database: Database
  contents: StorageContents
  clock: () => Date
  /** The setting `STOWAGE_SECRET_KEY`. */
  secretKey: string | undefined
  /** How long the URLs of parts are valid. */
  signedForMs: number
  /** Repairs what can be repaired without data loss. */
  repair: boolean
  /** What happens to objects without a row. Default: they are kept. */
  orphans?: OrphanHandling | undefined
  /** Reads every byte of every file. */
  verify: boolean
  onProgress: (text: string) => void
}

/** Objects that belong to no asset, such as those of files that were uploaded after the backup that was restored. */
export type OrphanHandling =
  /** They become assets of this account. */
  | { kind: 'import'; account: string }
  /** They are removed, unless `confirm` returns false. It gets what is removed. */
  | { kind: 'remove'; confirm: (objects: string[]) => Promise<boolean> }

/** Only this many pending removals are read. More of them would be a problem in itself. */
const MAX_REMOVALS = 100_000

/** The keys of objects and uploads that the jobs still have to remove. */
export async function keysBeingRemoved(database: Database): Promise<Set<string>> {
  const removals = await database.listRemovals(MAX_REMOVALS)
  return new Set(removals.map(({ key }) => key))
}
