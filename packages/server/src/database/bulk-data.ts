import type { Upload } from '../domain/asset.ts'
import type { BulkChange, BulkJob } from '../domain/bulk.ts'
import type { ProductSelection } from '../domain/product.ts'

/** `continueBulkJob` changes at most this many assets in one transaction, so that other calls wait only briefly. */
export const BULK_BATCH = 200

/** At most this many attachments are changed in one transaction, unless a single asset has more. */
export const BULK_BATCH_ATTACHMENTS = 400

/** How many jobs of an account can be running at the same time. */
export const MAX_RUNNING_BULK_JOBS = 10

/** How many ended jobs of an account are kept. */
export const KEPT_BULK_JOBS = 50

/** How long an ended job is kept. Until then it can be undone. */
export const BULK_JOBS_KEPT_MS = 7 * 24 * 3_600_000

export interface NewBulkJob {
  id: string
  change: BulkChange
  createdAt: Date
}

export type BulkJobOutcome = { outcome: 'begun'; job: BulkJob } | { outcome: 'too_many_jobs' }

export type BulkUndoOutcome =
  | BulkJobOutcome
  | { outcome: 'job_not_found' }
  /** It cannot be undone: see `problemWithUndoing`. */
  | { outcome: 'refused'; job: BulkJob }

export interface BulkProgress {
  job: BulkJob
  /** Another instance is changing assets of the job. This call has changed none. */
  isBusy: boolean
  /** Unfinished replacements of assets that were cancelled. */
  replacements: Upload[]
}

/** The job with what a copy in another deployment needs. */
export interface BulkJobRecord {
  job: BulkJob
  /** Who requested it, as JSON. */
  by: string
  /** The number of batches, and of those that were read. */
  batches: number
  nextBatch: number
}

/** A job whose counters differ from its batches, or that lacks some of them. */
export interface BulkMiscount {
  accountId: string
  id: string
  batches: { stored: number; expected: number }
  done: { counted: number; actual: number }
  changed: { counted: number; actual: number }
}

/** A part of the assets of a job, as JSON: arrays of IDs and of `BulkEntry`. */
export interface BulkBatchRecord {
  number: number
  assets: string
  undo: string | null
}

/** `detached`: the product still exists, with fewer assets. */
export type ProductDeletion = 'deleted' | 'detached' | 'not_found'

/**
 * Deleting a product detaches at most this many assets in the same transaction. About a tenth of a second, for which other
 * changes of the account wait.
 */
export const MAX_DETACHED_WITH_PRODUCT = 1_000

/** Changes of many assets in the background, of one account. */
export interface BulkData {
  /**
   * Stores a change of these assets, which `continueBulkJob` makes. All of them are stored, or none. The IDs differ from
   * each other.
   */
  addBulkJob(job: NewBulkJob, assetIds: string[]): Promise<BulkJobOutcome>

  /**
   * Changes the next assets of a job, at most `BULK_BATCH`, and records what undoes it. Assets that were deleted since, and
   * those that are in the requested state already, are skipped. A change that the account has no room for ends the
   * job. Undefined if the job is not known. Instances may call it concurrently: one of them changes assets.
   */
  continueBulkJob(id: string): Promise<BulkProgress | undefined>

  /** running → cancelled, after the transaction that is changing assets. Others stay as they are. */
  cancelBulkJob(id: string): Promise<BulkJob | undefined>

  /**
   * Stores a job that undoes exactly what this one has changed. If there is one already, returns that. The opposite of
   * each change is made for the assets that it was made for.
   */
  undoBulkJob(id: string, undo: Omit<NewBulkJob, 'change'>): Promise<BulkUndoOutcome>

  findBulkJob(id: string): Promise<BulkJob | undefined>
  /** The running jobs, and the last ended ones, newest first. */
  listBulkJobs(): Promise<BulkJob[]>

  /**
   * Deletes a product with at most `MAX_DETACHED_WITH_PRODUCT` assets. If it has more, only detaches some of them, and
   * another call has to continue: see `listUnfinishedProductDeletions`. The actor of the event is that of the first call.
   */
  continueProductDeletion(id: string): Promise<ProductDeletion>

  /** The products that are selected now, at most one more than `limit`, and the selectors that match none. */
  selectProducts(
    selection: ProductSelection,
    limit: number,
  ): Promise<{ ids: string[]; unknown: ProductSelection; isComplete: boolean }>

  /** For a copy in another deployment: all jobs, and their batches from this number on, at most `limit`. */
  listBulkJobRecords(): Promise<BulkJobRecord[]>
  listBulkBatches(id: string, from: number, limit: number): Promise<BulkBatchRecord[]>
  /** Copies a job of another deployment, and then its batches. Both can be repeated. */
  importBulkJob(record: BulkJobRecord): Promise<void>
  importBulkBatches(id: string, batches: BulkBatchRecord[]): Promise<void>
}
