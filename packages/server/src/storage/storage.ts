import type { PartPlan, PartRange } from '../domain/parts.ts'

export interface StorageUpload {
  /** The storage's own name for the upload. */
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
}

/** What a storage tells of an object. */
export interface ObjectFacts {
  key: string
  size: number
}

/** Written into the storage: which one it is, and which database it belongs to. */
export interface StorageIdentity {
  databaseId: string
  storageId: string
}

export type CompletionOutcome =
  | { outcome: 'completed' }
  /** These parts are missing, beyond the plan, or not those named. The upload is as it was before. */
  | { outcome: 'refused'; parts: number[] }
  /** Neither the upload nor the object exists. */
  | { outcome: 'gone' }
  /** The storage refuses, and repeating it does not help. The upload is as it was before. */
  | { outcome: 'rejected'; reason: string }

/** What can be done without being the one who serves the storage's addresses. */
export type StorageContents = Pick<
  Storage,
  | 'listParts'
  | 'abortUpload'
  | 'readPart'
  | 'findObject'
  | 'listObjects'
  | 'describeObject'
  | 'removeObject'
  | 'listUploads'
  | 'readIdentity'
  | 'createIdentity'
  | 'replaceIdentity'
>

/**
 * Object storage with multipart uploads. Every call may be repeated. An outage throws
 * `EngineUnavailable`.
 */
export interface Storage {
  /** The most parts that one upload may have. */
  readonly maxParts: number
  /** Where clients reach it. */
  readonly url: string

  /** Opens an upload and returns the storage's name for it: the given id, if it takes one. */
  createUpload(upload: StorageUpload & { mime: string }): Promise<string>

  /**
   * One URL per part, in the given order. A URL takes one PUT of exactly the part's length until the
   * `expiresAt` of the answer: the given one, or earlier where what signs it ends earlier. A repeated PUT replaces the part. After the completion it is refused;
   * OpenStack Swift takes it, and then other bytes make the object unreadable until the right ones
   * are sent again. Never does it become another object.
   */
  signParts(
    upload: StorageUpload,
    parts: PartRange[],
    expiresAt: Date,
  ): Promise<{ urls: string[]; expiresAt: Date }>

  /**
   * The whole parts it holds, by number; undefined when the upload does not exist (any more).
   * OpenStack Swift lists them also after the completion.
   */
  listParts(upload: StorageUpload): Promise<StoredPart[] | undefined>

  /**
   * Makes the object out of all parts of the plan, or nothing: also when it holds parts beyond the
   * plan. A part that is named must have that ETag; the others are taken as they are. Costs by the number of parts, not by their size.
   * Completing again what is complete already is `completed`.
   */
  completeUpload(
    upload: StorageUpload,
    plan: PartPlan,
    parts: { number: number; etag: string }[],
  ): Promise<CompletionOutcome>

  /**
   * Removes every part, also those that arrive while it runs. An unknown upload is no error.
   * OpenStack Swift keeps a part whose sending began before the abort and ends after it: it is no
   * part of any upload then, and no call of S3 shows it.
   */
  abortUpload(upload: StorageUpload): Promise<void>

  /** A URL for GET with ranges, always as an attachment; valid as the URLs of parts are. */
  signDownload(object: StoredObject, expiresAt: Date): Promise<{ url: string; expiresAt: Date }>

  /** One part of an object. Bytes that are not those that were sent, or none, throw. */
  readPart(object: { key: string; plan: PartPlan }, number: number): AsyncIterable<Uint8Array>
  findObject(key: string): Promise<ObjectFacts | undefined>
  /** Every object of ours, in the order of their keys. */
  listObjects(): AsyncIterable<ObjectFacts>
  /** Where an object lies, for people: what they would give to other tools. */
  describeObject(key: string): string
  /** An object that does not exist is no error. */
  removeObject(key: string): Promise<void>

  /** Every upload of ours that is open in the storage. */
  listUploads(): AsyncIterable<OpenUpload>

  /** Undefined when none was written. */
  readIdentity(): Promise<StorageIdentity | undefined>
  /**
   * Makes the storage belong to the database, unless it has an identity already; returns the one that
   * it has. Racing calls for one database get the same one.
   */
  createIdentity(databaseId: string): Promise<StorageIdentity>
  /** Makes the storage belong to the database, whichever it belonged to before. */
  replaceIdentity(databaseId: string): Promise<StorageIdentity>

  /** How many more bytes it takes; undefined where it has no limit that it could name. */
  freeBytes(): Promise<number | undefined>

  /** Throws `EngineUnavailable` when the storage does not answer. */
  check(): Promise<void>
  /**
   * Takes no new transfers, and lets those that run finish, within a limit. For a storage that serves
   * its URLs itself; all other calls go on working.
   */
  drain(): Promise<void>
  close(): Promise<void>
}
