import type { Asset, AssetStatus, Upload } from '../domain/asset.ts'
import type { PageRequest } from '../domain/paging.ts'
import type { Usage } from '../domain/plan.ts'

export interface Account {
  id: string
  name: string
  planName: string
  planStorage: number
}

export interface NewUpload {
  upload: Upload
  /** A repeated request: the same key with the same digest of what was asked for. */
  idempotency?: { key: string; digest: string }
}

export type Reservation =
  | { outcome: 'reserved' }
  | { outcome: 'storage_exceeded'; usage: Usage }
  /** The key was used for the same request; here is what became of it. */
  | { outcome: 'repeated'; upload: Upload }
  | { outcome: 'key_reused' }

export interface AssetQuery extends PageRequest {
  /** Any part of the name, folded by `foldText`. */
  name?: string
}

export interface AssetRows {
  assets: Asset[]
  /** How many match in all, on whatever page. */
  total: number
}

/** Something that the storage still has to let go of. It stays until the storage confirmed. */
export interface Removal {
  id: number
  kind: 'upload' | 'object'
  storageId: string
  /** The object's key. */
  key: string
  attempts: number
}

/** What the counters say, beside what the rows add up to. Both are equal, always. */
export interface Books {
  accountId: string
  counted: { stored: number; reserved: number; assets: number }
  actual: { stored: number; reserved: number; assets: number }
}

/**
 * Each method is one unit of work: atomic, and durable when its promise resolves. Everything of an
 * account is asked for with the account's id; what is another's does not exist. An outage throws
 * `EngineUnavailable`.
 */
export interface Database {
  /** Creates the account when its name is new; returns the one that has the name. */
  ensureAccount(account: Account & { createdAt: Date }): Promise<Account>

  /** Takes effect at once. Below what is stored it only stops new uploads. */
  changePlan(accountId: string, plan: { name: string; storage: number }): Promise<void>

  findUsage(accountId: string): Promise<Usage | undefined>

  /**
   * Checks the plan and reserves the bytes in one statement: however calls interleave, the plan is
   * never oversold. Of racing calls with one idempotency key, one reserves and the others repeat.
   */
  reserveUpload(upload: NewUpload): Promise<Reservation>

  /** Remembers the storage's own name for an upload, for storages that choose it themselves. */
  recordStorageId(assetId: string, storageId: string): Promise<void>

  /** Gives back a reservation whose upload could not be created in the storage. */
  dropReservation(assetId: string): Promise<void>

  findAsset(accountId: string, assetId: string): Promise<Asset | undefined>

  /** The upload of a file in any state, also after it ended. */
  findUpload(accountId: string, assetId: string): Promise<Upload | undefined>

  /** Ready assets, newest first. */
  listAssets(accountId: string, query: AssetQuery): Promise<AssetRows>

  /** uploading → completing. From then on it can't be cancelled and does not expire. */
  beginCompletion(assetId: string, now: Date): Promise<{ won: boolean; status: AssetStatus }>

  /** completing → uploading: the storage refused the parts, and nothing has changed. */
  reopenUpload(assetId: string, now: Date): Promise<void>

  /** completing → ready: reserved bytes become stored ones, and the asset is listed. Repeatable. */
  finishCompletion(assetId: string, now: Date): Promise<AssetStatus>

  /** completing → expired: the storage lost the upload, so that nothing can complete it. */
  abandonCompletion(assetId: string, now: Date): Promise<void>

  /**
   * uploading → cancelled: the reserved bytes are free at once. The winner gets the removal to
   * carry out; the others the status that they found.
   */
  cancelUpload(assetId: string, now: Date): Promise<{ removal?: Removal; status: AssetStatus }>

  /** uploading → uploading, with more time. False when it is no longer uploading. */
  renewUpload(assetId: string, expiresAt: Date): Promise<boolean>

  /** uploading → expired, for at most `limit` uploads whose time ran out by `now`. */
  expireUploads(now: Date, limit: number): Promise<number>

  /** Uploads whose completion began before `before` and has not ended. */
  listStuckCompletions(before: Date, limit: number): Promise<Upload[]>

  /** Which of these assets are uploading or completing, in any account. */
  filterUnfinished(assetIds: string[]): Promise<Set<string>>

  listDueRemovals(now: Date, limit: number): Promise<Removal[]>
  finishRemoval(id: number): Promise<void>
  postponeRemoval(id: number, dueAt: Date): Promise<void>

  /** Forgets at most `limit` uploads that were cancelled or expired before `before`. */
  forgetEndedUploads(before: Date, limit: number): Promise<number>

  readBooks(): Promise<Books[]>

  /** Throws `EngineUnavailable` when the database does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}
