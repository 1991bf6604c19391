import type { Database } from '../database/database.ts'
import type { Storage } from '../storage/storage.ts'

/** Everything that an operation may touch. Time and ids are handed in. */
export interface Context {
  database: Database
  storage: Storage
  clock: () => Date
  newId: () => string
  settings: Settings
  /** For what went wrong without failing the call. */
  warn: (message: string, error: unknown) => void
}

export interface Settings {
  chunkSize: number
  signedForMs: number
}
