/** The file `manifest.json` of a generation, the last one that is written. */
export interface Manifest {
  format: 1
  /** The name of the folder of the generation. */
  generation: string
  /** The version of Stowage that wrote it. */
  version: string
  /** The ID of the database of the service. */
  database: string
  /** The generation has the rows of this time, by the clock of the database. ISO 8601. */
  created_at: string
  engines: { database: 'sqlite' | 'postgres'; storage: 'disk' | 's3' }
  /** Where the objects were: a folder, or a bucket and a prefix. */
  storage: string
  /** `listed`: the objects are only in the storage of the service. */
  objects: 'stored' | 'listed'
  files: number
  bytes: number
  /** Files that were damaged or missing in the service. The backup does not have them. */
  damaged: number
  /** The ID of the key that encrypts secrets in the database; null if there was none. */
  secret_key: string | null
  /** The SHA-256 of the other files of the generation. */
  sha256: Record<string, string>
}

/** A line of `objects.jsonl`, in the order of the keys. */
export interface ObjectLine {
  key: string
  bytes: number
  chunk_size: number
  /** Null if it is not known: of objects that are only listed, and of damaged ones. */
  sha256: string | null
  /** Why the backup does not have the object, although it was not only listed. */
  damaged?: string
}

/** A file that the backup does not have. */
export interface UnsavedFile {
  /** The ID of its asset. */
  id: string
  filename: string
  version: number
  reason: string
}

/** At most so many files are named. */
export const MAX_NAMED = 1_000

export interface BackupProgress {
  phase: 'database' | 'files'
  /** Of the database, from 0 to 1; undefined if it is not known. */
  part?: number | undefined
  files: number
  bytes: number
  totalBytes: number
}

export interface BackupSummary {
  folder: string
  generation: string
  files: number
  bytes: number
  /** Of these bytes, those that this run copied, and those that share the disk with the storage of the service. */
  bytesCopied: number
  bytesLinked: number
  objects: Manifest['objects']
  hasSecretKey: boolean
  damaged: UnsavedFile[]
  damagedTotal: number
  removedGenerations: string[]
}

/** A folder that is no backup, or that a command must not use. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused'
}

/** The files of a generation. */
export const DATABASE_FILE = 'stowage.db'
export const OBJECTS_FILE = 'objects.jsonl'
export const KEY_FILE = 'secret-key'
export const MANIFEST_FILE = 'manifest.json'
