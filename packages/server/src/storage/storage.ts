import type { ArchiveSource } from '../domain/archive.ts'
import type { DownloadGuard } from '../domain/order.ts'
import type { PartPlan, PartRange } from '../domain/parts.ts'

/** What a storage that serves its URLs itself asks the service for. */
export type OwnerSource = ArchiveSource & DownloadGuard

export interface StorageUpload {
  /** The storage's ID of the upload. */
  id: string
  /** The key that the object will have. */
  key: string
}

/** An upload that is neither completed nor aborted. */
export interface OpenUpload extends StorageUpload {
  openedAt: Date
}

export interface StoredPart {
  number: number
  etag: string
  size: number
  /** By the storage's clock. */
  receivedAt: Date
}

export interface StoredObject {
  key: string
  plan: PartPlan
  filename: string
  mime: string
  /** The SHA-256 of the whole object in hexadecimal, if it is known. The disk storage sends it with the object. */
  sha256?: string
}

/** An object as a client gets it. */
export interface DownloadedObject extends StoredObject {
  /** Whether browsers show it instead of saving it. Only for types that cannot run scripts. */
  isInline?: boolean
  /** A storage that can ask the service accepts the URL for longer: see `DownloadGuard`. */
  renewal?: Renewal
}

export interface Renewal {
  /** The ID of the buyer’s download. */
  download: string
  /** False: the service has counted no start for this URL. So the storage asks before it sends the first byte. */
  isStarted: boolean
  /** In milliseconds since 1970. */
  until: number
}

export interface ObjectFacts {
  key: string
  size: number
  /** Why the storage cannot read the object. Its size is then unknown, and 0 here. */
  problem?: string
}

/** Written into the storage: its own ID, and the ID of the database that it belongs to. */
export interface StorageIdentity {
  databaseId: string
  storageId: string
}

export interface ObjectHashes {
  /** Hexadecimal. */
  sha256: string
  /** For ZIP archives. */
  crc32: number
}

export type CompletionOutcome =
  /** `hashes`: those of the object, if the storage has read its bytes. */
  | { outcome: 'completed'; hashes?: ObjectHashes }
  /** These parts are missing, beyond the plan, or have another length or ETag. The upload is unchanged. */
  | { outcome: 'refused'; parts: number[] }
  /** Neither the upload nor the object exists. */
  | { outcome: 'gone' }
  /** The storage refuses permanently: a retry does not help. The upload is unchanged. */
  | { outcome: 'rejected'; reason: string }

/** The part of the port that also works while another process serves the storage's URLs. */
export type StorageContents = Pick<
  Storage,
  | 'listParts'
  | 'abortUpload'
  | 'closeUpload'
  | 'readPart'
  | 'findObject'
  | 'listObjects'
  | 'describeObject'
  | 'readPartSize'
  | 'removeObject'
  | 'recoverObject'
  | 'listUploads'
  | 'readIdentity'
  | 'createIdentity'
  | 'replaceIdentity'
  | 'readSecretKey'
  | 'createSecretKey'
>

/**
 * Object storage with multipart uploads. Every call is idempotent, except `createUpload` on storage that assigns
 * the IDs of uploads. An outage throws `EngineUnavailable`.
 */
export interface Storage {
  /** The maximum number of parts of an upload. */
  readonly maxParts: number
  /** The base URL that clients use. */
  readonly url: string

  /** Opens an upload and returns its ID in the storage: the given ID, or one that the storage assigns. */
  createUpload(upload: StorageUpload & { mime: string }): Promise<string>

  /**
   * Returns one URL per part, in the given order. A URL accepts PUT of exactly the part's length until
   * the returned `expiresAt`, which is earlier than requested if the credentials expire earlier. A
   * repeated PUT replaces the part. After the completion, PUT is refused. OpenStack Swift accepts it:
   * other bytes then make the object unreadable until the original bytes are sent again. The object
   * never changes to other content.
   */
  signParts(
    upload: StorageUpload,
    parts: PartRange[],
    expiresAt: Date,
  ): Promise<{ urls: string[]; expiresAt: Date }>

  /**
   * Returns the complete parts in the order of their numbers, or undefined if the upload does not
   * exist. OpenStack Swift also lists them after the completion.
   */
  listParts(upload: StorageUpload): Promise<StoredPart[] | undefined>

  /**
   * Atomic: creates the object from all parts of the plan, or refuses. It also refuses if there are parts
   * beyond the plan. Parts given here must have the given ETag; the others may have any. The cost depends
   * on the number of parts, not on their size: with `hashes`, a storage that has the bytes at hand returns those of a
   * small object. Completing a completed upload returns `completed`.
   */
  completeUpload(
    upload: StorageUpload,
    plan: PartPlan,
    parts: { number: number; etag: string }[],
    options?: { hashes?: boolean },
  ): Promise<CompletionOutcome>

  /**
   * Removes every part, including those that arrive while it runs. An unknown upload is not an error.
   * OpenStack Swift keeps a part whose transfer began before the abort and ends after it: it then
   * belongs to no upload, and no S3 call lists it.
   */
  abortUpload(upload: StorageUpload): Promise<void>

  /**
   * Closes an upload that is still open although its object is stored, and keeps the object. Ceph's gateway first stores
   * the object and then closes the upload. If it is killed in between, the object consists of the parts of the open
   * upload: aborting the upload would destroy the object, and so would completing it again. Throws and changes nothing
   * if the object is missing or does not have the size of the parts. An unknown upload is not an error.
   */
  closeUpload(upload: StorageUpload): Promise<void>

  /**
   * Returns a URL for GET, with ranges, as an attachment unless the object may be shown by browsers. `expiresAt` is as in
   * `signParts`. After that, the disk storage asks the service at each request whether the download of `renewal` may continue.
   */
  signDownload(object: DownloadedObject, expiresAt: Date): Promise<{ url: string; expiresAt: Date }>
  /** The ETag of downloads of an object, with its quotes. Undefined if the storage chooses it. */
  downloadETag(key: string): string | undefined

  /**
   * Returns a URL for GET of a ZIP archive, with ranges, if the storage serves its URLs itself. Undefined: the API sends the
   * archives.
   */
  signArchive(id: string, expiresAt: Date): Promise<{ url: string; expiresAt: Date } | undefined>

  /**
   * Reads one part of an object. Throws if the part is missing or its bytes have changed. With `from`, it reads from this
   * position in the part on, and the disk storage does not notice changed bytes. With `reuseBuffer`, a chunk
   * is valid only until the next one is read, which saves memory.
   */
  readPart(
    object: { key: string; plan: PartPlan },
    number: number,
    options?: { reuseBuffer?: boolean; from?: number },
  ): AsyncIterable<Uint8Array>
  findObject(key: string): Promise<ObjectFacts | undefined>
  /** All objects that the service has stored, in the order of their keys. */
  listObjects(): AsyncIterable<ObjectFacts>
  /**
   * The length of all parts of the object but the last, with which `readPart` finds them. Undefined if the object has one
   * part, does not exist, or can be read in parts of any length.
   */
  readPartSize(key: string): Promise<number | undefined>
  /** The object's path or URI, for use with other tools. */
  describeObject(key: string): string
  /** An object that does not exist is not an error. */
  removeObject(key: string): Promise<void>
  /**
   * Brings back a removed object of this size, if the storage keeps the versions of removed objects. Returns whether the
   * object is there. An object that was not removed is not an error.
   */
  recoverObject(key: string, size: number): Promise<boolean>

  /** The uploads of the service that are open in the storage: all of them, or those of one key. */
  listUploads(key?: string): AsyncIterable<OpenUpload>

  /** Returns undefined if none has been written. */
  readIdentity(): Promise<StorageIdentity | undefined>
  /**
   * Binds the storage to the database, unless the storage already has an identity. Returns the storage's
   * identity. Concurrent calls for one database return the same identity.
   */
  createIdentity(databaseId: string): Promise<StorageIdentity>
  /** Binds the storage to the database, even if the storage belongs to another database. */
  replaceIdentity(databaseId: string): Promise<StorageIdentity>

  /** The key that encrypts secrets in the database, as base64. Returns undefined if none has been written. */
  readSecretKey(): Promise<string | undefined>
  /** Writes the key, unless there is one. */
  createSecretKey(key: string): Promise<void>

  /**
   * How many more bytes can be stored, or undefined if the storage has no known limit. With `needed`, the result may be
   * up to a second old if far more bytes were free then.
   */
  freeBytes(needed?: number): Promise<number | undefined>

  /** Whether clients are transferring parts or files through this process. Background jobs then read slowly. */
  isBusy(): boolean

  /** Throws `EngineUnavailable` if the storage does not respond. */
  check(): Promise<void>
  /**
   * If the storage serves its URLs itself, refuses new transfers and waits a limited time for running ones. All
   * other calls continue to work.
   */
  drain(): Promise<void>
  close(): Promise<void>
}
