import type { AssetStatus, Integrity, Upload } from '../domain/asset.ts'
import type { EventActor } from '../domain/event.ts'
import type { AccountState, FoundKey } from '../domain/key.ts'
import type { UploadToken } from '../domain/upload-token.ts'
import type { Plan, TypeUsage } from '../domain/usage.ts'
import type { AccountData, AssetRecord } from './account-data.ts'
import type { ArchiveData } from './archive-data.ts'
import type { BackupData } from './backup-data.ts'
import type { BulkMiscount } from './bulk-data.ts'
import type {
  DeliveryData,
  EndedCredentialListener,
  EventComparison,
  EventLimits,
  EventListener,
  TrimmedEvents,
} from './event-data.ts'
import type { AllMails } from './mail-data.ts'
import type { OperatorData } from './operator-data.ts'
import type { AllOrders } from './order-data.ts'

export interface NewAccount {
  id: string
  name: string
  planName: string
  planStorage: number
  /** How many ready assets and unfinished uploads the plan allows. Null or undefined: any number. */
  planAssets?: number | null
  createdAt: Date
}

export interface Account extends NewAccount {
  planAssets: number | null
  /** Since when the account can be read, but not changed. */
  suspendedAt: Date | null
  /** When the removal of everything that the account has may begin. A deleted account is suspended, too. */
  deleteAt: Date | null
  removalStartedAt: Date | null
}

/** The state of the asset or version that an object belongs to. */
export interface AssetState {
  status: AssetStatus
  /** Whether the version is no longer kept, but downloads may still need its object until its removal is due. */
  isSuperseded: boolean
  /** The storage's own ID of the upload, if it has one. */
  storageId: string | undefined
}

/** An upload or object that must be removed from the storage. It stays queued until that has succeeded. */
export interface Removal {
  id: number
  /**
   * For an upload, its parts are removed, and the object that an interrupted completion may have
   * created.
   */
  kind: 'upload' | 'object'
  storageId: string
  /** The object's key. */
  key: string
  attempts: number
  /** The time of the next attempt. */
  dueAt: Date
}

/** An object that belongs to a version of a file that is ready or in the trash. */
export interface StoredFile {
  key: string
  assetId: string
  /** The folder of the asset. */
  path: string | null
  filename: string
  bytes: number
  chunkSize: number
  version: number
  isCurrent: boolean
  integrity: Integrity
}

/** The ID of the database and of the storage that is bound to it. */
export interface DatabaseIdentity {
  id: string
  /** Undefined until storage is bound. */
  storageId: string | undefined
  /** The data folder of a move to this database that has started and not ended. */
  unfinishedMove: string | undefined
}

/** The counters of an account, and the sums of its rows. Both must be equal. */
export interface UsageComparison {
  accountId: string
  counted: UsageTotals
  actual: UsageTotals
  /** The number of listing blocks with a wrong counter. Must be 0. */
  wrongBlocks: number
  /** The number of tags with a wrong counter, and of entries that the index of tags lacks or has too many. Must be 0. */
  wrongTags: number
}

interface UsageTotals {
  stored: number
  reserved: number
  /** Bytes of versions that are no longer kept, whose objects are still in the storage for downloads. */
  superseded: number
  /** Bytes of assets in the trash, with their older versions. */
  trash: number
  assets: number
  /** Sorted by type, without types that have neither assets nor bytes. */
  types: TypeUsage[]
}

/** Totals of all accounts. Bytes and assets are those of their counters. */
export interface ServiceState {
  accounts: number
  assets: number
  stored: number
  reserved: number
  trash: number
  /** These, and the lengths of the queues, are counted up to 10,000. */
  uploading: number
  completing: number
  damaged: number
  /** The due work of the jobs that have a queue, and for how long the oldest of it has been due. */
  queues: { job: string; length: number; lagMs: number }[]
  /** Pending deliveries to webhooks that work, and the events that are not turned into deliveries yet. */
  webhookBacklog: number
  webhookBacklogAgeMs: number
  /** Mails that were not sent yet, counted up to 10,000. */
  mailBacklog: number
  mailBacklogAgeMs: number
  /** The time since the start of the newest complete backup. Undefined if there is none. */
  backupAgeMs: number | undefined
}

export interface PoolLoad {
  /** The maximum number of connections. */
  limit: number
  busy: number
  /** How much work waits for a connection. */
  waiting: number
}

/** A browser that is signed in to the dashboard. */
export interface NewSession {
  /** SHA-256 of the token in the browser's cookie. */
  tokenHash: string
  keyId: string
  /** The key that the session was started with: its hash, or `adminKeyHash`. */
  keyHash: string
}

export interface Session {
  keyHash: string
  expiresAt: Date
}

export interface SessionLimits {
  lifetimeMs: number
  /** The oldest sessions of a key are removed when it has this many. */
  maxPerKey: number
}

/**
 * Methods that are not limited to one account: accounts, key lookup, and background jobs. Each method is
 * one unit of work: atomic, and durable when its promise resolves. An outage rejects with
 * `EngineUnavailable`. Times of changes come from the database's clock (`readClock`), and so must the
 * times that jobs pass.
 */
export interface Database
  extends VerificationData,
    DeliveryData,
    AllOrders,
    AllMails,
    ArchiveData,
    BackupData,
    OperatorData {
  /**
   * The data of one account. The actor makes the changes: see `EventData`. By default it is the operator. `call` is the
   * `call` of their events, including those of a deletion of all assets that a job continues.
   */
  of(accountId: string, actor?: EventActor, call?: string): AccountData

  /** Returns the account with this name, and creates it if there is none. */
  ensureAccount(account: NewAccount): Promise<Account>
  findAccount(name: string): Promise<Account | undefined>
  listAccounts(): Promise<Account[]>

  /** Takes effect immediately. A limit below the current usage only prevents new uploads. */
  changePlan(accountId: string, plan: Plan): Promise<void>

  /** Undefined if there is no such account. */
  findAccountState(accountId: string): Promise<AccountState | undefined>
  /** From now on, the account can be read, but not changed by its keys. Its uploads do not expire. Idempotent. */
  suspendAccount(accountId: string): Promise<void>
  /**
   * Ends the suspension, and a deletion whose removal has not begun. Unfinished uploads have as much time left as when the
   * account was suspended. Idempotent.
   */
  resumeAccount(accountId: string): Promise<'resumed' | 'removal_started'>
  /** False if another account has this name. */
  renameAccount(accountId: string, name: string): Promise<boolean>
  /**
   * Suspends the account, and lets its removal begin after this time. Returns when it may begin. If it has begun, nothing
   * changes.
   */
  deleteAccount(accountId: string, options: { afterMs: number }): Promise<Date | undefined>
  /** Takes the times over from another deployment. */
  importAccountState(
    account: Pick<Account, 'id' | 'suspendedAt' | 'deleteAt' | 'removalStartedAt'>,
  ): Promise<void>

  /**
   * Claims a deleted account whose grace period is over by the database's clock: from now on it cannot be restored. Another
   * instance continues its removal a minute after the last batch.
   */
  claimAccountRemoval(): Promise<string | undefined>
  releaseAccountRemoval(accountId: string): Promise<void>
  /**
   * Removes at most `limit` rows of a claimed account, except for its ready assets, its trash and its unfinished uploads,
   * which are deleted before. Makes the removal of superseded objects due. Returns the number of rows: 0 if none remains.
   */
  removeAccountRows(accountId: string, limit: number): Promise<number>
  /** Removes the account itself. False while it still has assets. */
  removeAccount(accountId: string): Promise<boolean>

  /** Finds the key with this hash, even if it is revoked or has expired. */
  findKey(hash: string): Promise<FoundKey | undefined>
  /** Deletes at most `limit` keys that were revoked or have expired before this time. Returns their number. */
  forgetRevokedKeys(before: Date, limit: number): Promise<number>
  /** Records the last use of a key, for display only. Need not be durable. */
  touchKey(keyId: string, now: Date): Promise<void>

  /**
   * Stores a session and returns when it expires, by the database's clock. Also removes expired sessions
   * and the oldest ones of the key, so that the number of sessions is bounded.
   */
  addSession(session: NewSession, limits: SessionLimits): Promise<Date>
  /** Finds a session that has not expired, by the database's clock. */
  findSession(tokenHash: string): Promise<Session | undefined>
  /** Takes effect immediately. An unknown session is not an error. */
  removeSession(tokenHash: string): Promise<void>

  /** Finds the upload token with this hash, even if it has expired. */
  findUploadToken(hash: string): Promise<UploadToken | undefined>
  /**
   * Deletes at most `limit` upload tokens that expired more than `keptForMs` ago and have no unfinished upload. Returns
   * their number. An expiry that is too far in the future was set by a wrong clock, and counts as past.
   */
  forgetUploadTokens(keptForMs: number, limit: number): Promise<number>

  /** Deletes idempotency keys that are older than this, by the database's clock, at most `limit`. Returns their number. */
  forgetIdempotencyKeys(keptForMs: number, limit: number): Promise<number>

  /**
   * Counts a request with this key, and returns the number of its requests in this window. If they are at most `limit`, the
   * request also counts for the group, so that one key uses at most `limit` of the group's requests. Need not be durable.
   */
  countRequest(
    request: { keyId: string; group: string; limit: number },
    windowStart: Date,
  ): Promise<{ ofKey: number; ofGroup: number }>

  /**
   * Calls the listener soon after this or another instance has written events: with the ID of the account, or with
   * undefined if any account may have new events. It may also be called without new events. The returned function
   * removes the listener.
   */
  onEvents(listener: EventListener): () => void
  /**
   * Calls the listener soon after this or another instance has removed a session or revoked a key: with its name
   * (`endedCredential`), or with undefined if any may have ended. The returned function removes the listener.
   */
  onEndedCredential(listener: EndedCredentialListener): () => void

  /** The database's clock, which all instances share. */
  readClock(): Promise<Date>

  /**
   * Unfinished uploads whose expiry time has passed by the database's clock, the longest overdue first. Those of suspended
   * accounts are left out.
   */
  listOverdueUploads(limit: number): Promise<Upload[]>

  /**
   * Limits the expiry of all uploads to this time from now. A later expiry was set by a clock that was ahead,
   * or while the setting was longer.
   */
  limitExpiry(keptForMs: number): Promise<void>

  /**
   * uploading → expired, for each of these assets that is due by the database's clock. Returns the IDs of those that
   * have expired.
   */
  expireUploads(assetIds: string[]): Promise<string[]>

  /** Uploads whose completion started before `before` and has not finished. */
  listStuckCompletions(before: Date, limit: number): Promise<Upload[]>

  /**
   * Claims unfinished completions that started before `before`, and whose last claim, if any, ended before it. A claim
   * lasts as long as the completion has been stuck, from a second to an hour, so that completions that fail repeatedly
   * do not delay others. A claim that ends more than an hour after `now` was set by a wrong clock, and is ignored.
   */
  claimStuckCompletions(times: { before: Date; now: Date }, limit: number): Promise<Upload[]>

  /**
   * The states of these objects by their keys. The status is that of the upload until the upload is completed; `ready`
   * for the object of any version, even of an asset in the trash; `deleted` if the version was removed. Unknown objects
   * are left out.
   */
  readStates(keys: string[]): Promise<Map<string, AssetState>>

  /**
   * Claims due removals for a minute. One that is due in more than two hours was queued by a wrong clock,
   * and counts as due. While a backup holds the removals, objects of removed files are left out: see `BackupData`.
   */
  claimDueRemovals(now: Date, limit: number): Promise<Removal[]>
  /** All queued removals, due or not. */
  listRemovals(limit: number): Promise<Removal[]>
  finishRemoval(id: number): Promise<void>
  postponeRemoval(id: number, dueAt: Date): Promise<void>

  /**
   * Removes assets of all accounts that have been in the trash for this time by the database's clock, the oldest
   * first, at most `TRASH_BATCH`. Queues their objects for removal. Returns their number. Those that another call
   * changes at the same time are skipped. For assets that were deleted while the clock was ahead, the time starts now.
   */
  removeOldTrash(keptForMs: number): Promise<number>

  /** The IDs of the accounts whose assets `continueTrashAll` has to move. */
  listTrashAll(): Promise<string[]>

  /** The moves of folders that `continueFolderMove` has to continue, of all accounts. */
  listUnfinishedFolderMoves(): Promise<{ account: string; id: string }[]>

  /** The products whose deletion was interrupted, of all accounts. `deleteProduct` continues it. */
  listUnfinishedProductDeletions(): Promise<{ account: string; id: string }[]>

  /** The jobs that `continueBulkJob` has to continue, of all accounts. */
  listRunningBulkJobs(): Promise<{ account: string; id: string }[]>
  /** The kept jobs that are inconsistent, at most `limit`. */
  compareBulkJobs(limit: number): Promise<BulkMiscount[]>
  /** Counts the batches of a job again. running → cancelled, if some are missing. */
  repairBulkJob(id: string): Promise<void>
  /** Deletes ended jobs that are no longer kept, and their batches, at most `limit` of each. Returns their number. */
  forgetBulkJobs(limit: number): Promise<number>

  /**
   * Deletes the rows of at most `limit` assets that were cancelled, expired or deleted before `before`. Assets in the
   * trash are kept.
   */
  forgetEndedAssets(before: Date, limit: number): Promise<number>

  /** The accounts after the ID `after` with events that `trimEvents` may count or forget, by ascending ID. */
  listAccountsToTrim(
    limits: EventLimits,
    after: string | undefined,
    limit: number,
  ): Promise<string[]>
  /**
   * Counts the bytes of the new events of an account, and forgets its oldest events if they are too old, or if all
   * events together have too many bytes. From then on, `EventPage.forgottenId` is at least the highest of their IDs. An
   * event that is dated more than an hour in the future was recorded by a wrong clock, and counts as too old. At most
   * `batch` events are counted, and at most `batch` forgotten.
   */
  trimEvents(accountId: string, limits: EventLimits, batch: number): Promise<TrimmedEvents>

  /** Compares the events of all accounts with their counters. */
  compareEvents(): Promise<EventComparison[]>
  /** Corrects the counters of an account. Up to the last missing event, its events count as forgotten. */
  repairEvents(accountId: string): Promise<void>

  /** Compares the counters of all accounts with their rows. */
  compareUsage(): Promise<UsageComparison[]>
  /** Sets the counters of an account to the sums of its rows. */
  recountUsage(accountId: string): Promise<void>
  /**
   * Counts the next blocks of an account's listing after `after`, and corrects the index of tags for their assets. Returns
   * the last counted block for the next call, or undefined at the end, after it has counted the tags.
   */
  recountBlocks(accountId: string, after: string | undefined): Promise<string | undefined>

  /** The next assets of all accounts, ready or in the trash, after the ID `after`, ordered by ID. */
  listRecords(after: string | undefined, limit: number): Promise<AssetRecord[]>

  /** The next objects of files and older versions, including the trash, after the key `after`, ordered by key. */
  listStoredFiles(after: string | undefined, limit: number): Promise<StoredFile[]>

  readIdentity(): Promise<DatabaseIdentity>
  /** Binds the storage, unless one is bound already. Returns the bound one; concurrent calls return the same one. */
  bindStorage(storageId: string): Promise<string>
  /** Replaces the bound storage. */
  rebindStorage(storageId: string): Promise<void>
  /** The ID of the key that encrypts the secrets in this database; undefined until one is bound. */
  readSecretKeyId(): Promise<string | undefined>
  /** Binds a key if `replaced` is bound, or no key if it is undefined. Returns the ID that is bound afterward. */
  bindSecretKey(id: string, replaced: string | undefined): Promise<string>
  /** Whether any secret is encrypted. */
  hasSealedSecrets(): Promise<boolean>

  /** Records that a move from this data folder has started; undefined: that no move is unfinished. */
  setUnfinishedMove(from: string | undefined): Promise<void>

  /** A migration that this version does not know: a newer version has migrated the database since it was opened. */
  findNewerMigration(): Promise<string | undefined>

  /**
   * Reserves disk space for deleting and cancelling, if other files can fill the database's disk.
   * Idempotent.
   */
  reserveDiskSpace(): Promise<void>

  /** For the metrics: totals of all accounts, and the queues of the jobs. */
  readState(): Promise<ServiceState>
  /** How busy the connections are. Undefined if the database has only one. */
  readLoad(): PoolLoad | undefined

  /** Rejects with `EngineUnavailable` when the database does not respond. */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * Which job reads an object that is not withheld from downloads: `new` for objects of uploads that were just completed,
 * `backlog` for objects that `stowage move` copied from another deployment, and `scrub` for objects that were already
 * read.
 * `damaged` is for the damaged objects among those of `scrub`: they do not wait for the others, and are also read if
 * scrubbing is disabled.
 */
export type VerificationQueue = 'new' | 'backlog' | 'scrub' | 'damaged'

/** After this time, an object that could not be read is read again: the disk may have been repaired. */
export const UNREADABLE_MS = 3_600_000

/** An object whose bytes are read to compute or compare its SHA-256. */
export interface Verification {
  key: string
  bytes: number
  chunkSize: number
}

export interface ClaimTimes {
  now: Date
  /** An object that is due after this time was queued by a wrong clock, and counts as due. */
  latest: Date
  /** Other instances skip the claimed objects until this time. */
  claimedUntil: Date
}

export interface WithheldOptions {
  after: string | undefined
  minBytes: number
  maxBytes: number
}

/** The objects whose bytes are verified, of all accounts. */
interface VerificationData {
  /** Claims objects that are due and not withheld from downloads, the longest overdue first. */
  claimVerifications(
    queue: VerificationQueue,
    times: ClaimTimes,
    limit: number,
  ): Promise<Verification[]>

  /**
   * Claims an object whose downloads wait for its first comparison: of the next account after `after` that has one of
   * these sizes, its smallest. After the last account follows the first.
   */
  claimWithheld(
    times: ClaimTimes,
    options: WithheldOptions,
  ): Promise<(Verification & { accountId: string }) | undefined>

  /** Downloads get the object without a comparison. Removes versions like `recordVerification`. */
  releaseWithheld(key: string, options: { keepVersions: number }): Promise<void>

  /** Extends or ends a claim: the object is due at this time. An unknown object is not an error. */
  postponeVerification(key: string, dueAt: Date): Promise<void>

  /**
   * Records the SHA-256 and the CRC-32 of the bytes that were read; null if they could not be read or are not those that were
   * stored. They are damaged unless they have the expected digest: the declared one, or that of the first read. The
   * object is due again at `dueAt`, in the queue `scrub`. Returns undefined if the object no longer exists.
   *
   * If the object was withheld and has the declared digest, downloads get it from now on, and older versions that were
   * only kept for downloads are removed, as by `finishCompletion`. Without `keepVersions`, it stays withheld, and is due
   * immediately: the caller does not know how many versions the service keeps.
   */
  recordVerification(
    key: string,
    result: {
      sha256: string | null
      crc32?: number | undefined
      dueAt: Date
      keepVersions?: number
    },
  ): Promise<Integrity | undefined>
}
