import type { AssetStatus, Upload } from '../domain/asset.ts'
import type { Key } from '../domain/key.ts'
import type { TypeUsage } from '../domain/usage.ts'
import type { AccountData, AssetRecord } from './account-data.ts'

export interface Account {
  id: string
  name: string
  planName: string
  planStorage: number
  createdAt: Date
}

export interface AssetState {
  status: AssetStatus
  /** The storage's own name for its upload, if one was recorded. */
  storageId: string | undefined
}

/** Something that the storage still has to let go of. It stays until the storage confirmed. */
export interface Removal {
  id: number
  /**
   * An upload goes with its parts, and with the object that a completion may have made of it before it
   * was cut off.
   */
  kind: 'upload' | 'object'
  storageId: string
  /** The object's key. */
  key: string
  attempts: number
  /** When it is tried next. */
  dueAt: Date
}

/** Which database this is, and which storage belongs to it. */
export interface DatabaseIdentity {
  id: string
  /** Undefined until a storage was bound. */
  storageId: string | undefined
}

/** What the counters say, beside what the rows add up to. Both are equal, always. */
export interface UsageComparison {
  accountId: string
  counted: UsageTotals
  actual: UsageTotals
  /** Blocks of its listing that count other assets than they have: none, always. */
  wrongBlocks: number
}

export interface UsageTotals {
  stored: number
  reserved: number
  assets: number
  /** By the name of the type; those without any asset are left out. */
  types: TypeUsage[]
}

/**
 * What is not of one account: the accounts, looking a key up, and the jobs. Each method is one unit
 * of work: atomic, and durable when its promise resolves. An outage throws `EngineUnavailable`.
 * What it notes as the time of a change is by its own clock (`readClock`), and so are the times that
 * the jobs ask with.
 */
export interface Database {
  /** Everything of one account, and nothing of any other. */
  of(accountId: string): AccountData

  /** Creates the account when its name is new; returns the one that has the name. */
  ensureAccount(account: Account): Promise<Account>
  findAccount(name: string): Promise<Account | undefined>
  listAccounts(): Promise<Account[]>

  /** Takes effect at once. Below what is stored it only stops new uploads. */
  changePlan(accountId: string, plan: { name: string; storage: number }): Promise<void>

  /** The key with this hash, also when it was revoked. */
  findKey(hash: string): Promise<Key | undefined>
  /** Need not be durable: it only tells people whether a key is in use. */
  touchKey(keyId: string, now: Date): Promise<void>

  /** Counts one more request and returns how many there were in this window. Need not be durable. */
  countRequest(who: string, windowStart: Date): Promise<number>

  /** The database's own clock: what it decides by, whatever the clocks of instances show. */
  readClock(): Promise<Date>

  /** Uploads whose time is up by the database's clock, the longest overdue first. */
  listOverdueUploads(limit: number): Promise<Upload[]>

  /**
   * Uploads that end later than this long after now end then: their time was set by a clock that was
   * ahead, or when they were kept for longer.
   */
  limitExpiry(keptForMs: number): Promise<void>

  /**
   * uploading → expired, for those of these assets whose time is up by the database's clock. Returns
   * how many.
   */
  expireUploads(assetIds: string[]): Promise<number>

  /** Uploads whose completion began before `before` and has not ended. */
  listStuckCompletions(before: Date, limit: number): Promise<Upload[]>

  /**
   * The same for those that nobody took up since `before`. From `now` on nobody else is given them
   * for as long as they have been stuck, from a second to an hour: those that fail again and again
   * keep no others from being taken up. A time that lies further ahead is of a clock that was wrong,
   * and counts as past.
   */
  claimStuckCompletions(times: { before: Date; now: Date }, limit: number): Promise<Upload[]>

  /** The state of each of these assets that has a row. */
  readStates(assetIds: string[]): Promise<Map<string, AssetState>>

  /**
   * Removals that are due; nobody else is given them for a minute. One that is due in more than an hour
   * was noted by a clock that was wrong, and is due now.
   */
  claimDueRemovals(now: Date, limit: number): Promise<Removal[]>
  /** Everything that the storage still has to let go of, due or not. */
  listRemovals(limit: number): Promise<Removal[]>
  finishRemoval(id: number): Promise<void>
  postponeRemoval(id: number, dueAt: Date): Promise<void>

  /** Forgets at most `limit` assets that were cancelled, expired or deleted before `before`. */
  forgetEndedAssets(before: Date, limit: number): Promise<number>

  compareUsage(): Promise<UsageComparison[]>
  /** Sets the counters of an account to what its rows add up to. */
  recountUsage(accountId: string): Promise<void>
  /**
   * Counts some blocks of an account's listing, beginning behind `after`. Returns the last of them,
   * for the next call, or undefined at the end.
   */
  recountBlocks(accountId: string, after: string | undefined): Promise<string | undefined>

  /** Ready assets of all accounts, by id, beginning behind `after`. */
  listRecords(after: string | undefined, limit: number): Promise<AssetRecord[]>

  readIdentity(): Promise<DatabaseIdentity>
  /** Binds the storage unless one is bound already; returns the bound one. Of racing calls one wins. */
  bindStorage(storageId: string): Promise<string>
  /** Binds the storage, whichever was bound before. */
  rebindStorage(storageId: string): Promise<void>

  /**
   * Keeps some room for deleting and cancelling, where the database lies on a disk that others may
   * fill. Repeatable.
   */
  reserveDiskSpace(): Promise<void>

  /** Throws `EngineUnavailable` when the database does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}
