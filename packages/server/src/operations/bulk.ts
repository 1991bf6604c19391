import {
  MAX_BULK_JOB_ASSETS,
  MAX_BULK_JOB_ATTACHMENTS,
  MAX_BULK_JOB_PRODUCTS,
} from '@stowage/protocol'
import type { BulkProgress } from '../database/bulk-data.ts'
import { type BulkChange, type BulkJob, problemWithUndoing } from '../domain/bulk.ts'
import { EngineUnavailable, invalid, ServiceError } from '../domain/errors.ts'
import { normalizePath, problemWithPath } from '../domain/names.ts'
import type { ProductSelection } from '../domain/product.ts'
import { normalizeTags } from '../domain/tags.ts'
import { type AssetListRequest, assetQueryOf } from './assets.ts'
import type { AccountContext } from './context.ts'
import { unknownProducts } from './refusals.ts'
import { type TrashListRequest, trashQueryOf } from './trash.ts'
import { removeParts } from './uploads/in-storage.ts'

/** Ready assets, or assets in the trash. */
export type AssetSelection =
  | { from: 'assets'; request: AssetListRequest }
  | { from: 'trash'; request: TrashListRequest }

export type RequestedChange =
  | { action: 'delete'; isPermanent: boolean }
  | { action: 'restore' }
  | { action: 'attach'; products: ProductSelection }
  | { action: 'detach'; products: ProductSelection }
  | { action: 'tag'; tags: string[] }
  | { action: 'untag'; tags: string[] }
  | { action: 'move'; path: string | null }

/** How many changes the call waits for: assets, or attachments of them. A job makes the others. */
const MAX_WAITED_FOR = 500

/**
 * Starts a change of all assets that match now, if their number is about the expected one. Small changes are finished
 * when it returns. A job continues the others, and those of an interrupted call.
 */
export async function startBulk(
  context: AccountContext,
  { selection, expected }: { selection: AssetSelection; expected: number },
  requested: RequestedChange,
): Promise<BulkJob> {
  const isFromTrash = selection.from === 'trash'
  const change = { ...(await resolveChange(context, requested)), isFromTrash }
  const ids = await selectIds(context, selection)
  const total = ids.length
  if (total > MAX_BULK_JOB_ASSETS) {
    throw tooMany(`matches more than ${MAX_BULK_JOB_ASSETS} assets`)
  }
  if (total * (change.products?.length ?? 0) > MAX_BULK_JOB_ATTACHMENTS) {
    throw tooMany(`would change more than ${MAX_BULK_JOB_ATTACHMENTS} attachments`)
  }
  if (!isAboutExpected(total, expected)) throw selectionChanged(total, expected)
  const { clock, newId } = context
  const data = context.dataOfCall()
  const outcome = await data.addBulkJob({ id: newId(), change, createdAt: clock() }, ids)
  if (outcome.outcome === 'too_many_jobs') throw tooManyJobs()
  return continueInCall(context, outcome.job)
}

function tooMany(problem: string): ServiceError {
  return invalid({ filter: [`${problem}: add a filter, or send several calls`] })
}

async function selectIds({ data }: AccountContext, selection: AssetSelection): Promise<string[]> {
  const limit = MAX_BULK_JOB_ASSETS + 1
  if (selection.from === 'assets') {
    return data.selectAssets(assetQueryOf(selection.request), limit)
  }
  const { isAttached, ...request } = selection.request
  return isAttached ? [] : data.selectTrash(trashQueryOf(request), limit)
}

/** Others may add or delete a few assets between the decision and the call. */
function isAboutExpected(matched: number, expected: number): boolean {
  return Math.abs(matched - expected) <= Math.max(1, Math.floor(expected / 100))
}

function selectionChanged(matched: number, expected: number): ServiceError {
  return new ServiceError(
    'selection_changed',
    `The filter matches ${matched} assets now, not ${expected}. Read the list again, and repeat the call with the new number.`,
    { details: { matched, expected } },
  )
}

function tooManyJobs(): ServiceError {
  return new ServiceError(
    'bulk_in_progress',
    'Too many changes of all matches are running. Call GET /bulk until one has ended, or cancel one.',
  )
}

/** The change as it is at the time of the call. Products that are added to the selection later do not belong to it. */
async function resolveChange(
  { data, settings }: AccountContext,
  requested: RequestedChange,
): Promise<BulkChange> {
  const { action } = requested
  if (action === 'delete') {
    return { action, isPermanent: requested.isPermanent || settings.trashForMs === 0 }
  }
  if (action === 'restore') return { action }
  if (action === 'tag' || action === 'untag') {
    return { action, tags: normalizeTags(requested.tags) }
  }
  if (action === 'move') {
    const { path } = requested
    const problem = path === null ? undefined : problemWithPath(path)
    if (problem !== undefined) throw invalid({ path: [problem] })
    return { action, path: normalizePath(path) }
  }
  const found = await data.selectProducts(requested.products, MAX_BULK_JOB_PRODUCTS)
  if (found.ids.length > MAX_BULK_JOB_PRODUCTS) {
    throw invalid({ product_ids: [`select more than ${MAX_BULK_JOB_PRODUCTS} products`] })
  }
  if (!found.isComplete) throw unknownProducts(found.unknown)
  return { action, products: found.ids }
}

/** The job is stored: after an outage, another instance or the next run of the background job continues it. */
async function continueInCall(context: AccountContext, begun: BulkJob): Promise<BulkJob> {
  const changesOfEach = Math.max(1, begun.change.products?.length ?? 1)
  let job = begun
  while (job.status === 'running' && job.done * changesOfEach < MAX_WAITED_FOR) {
    try {
      const progress = await continueBulk(context, job.id)
      if (progress === undefined) break
      job = progress.job
      if (progress.isBusy) break
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      context.warn('a change of all matches was interrupted; a job continues it', error)
      break
    }
  }
  return job
}

/** Changes the next assets of a job, and removes the parts of cancelled replacements. */
export async function continueBulk(
  context: Pick<AccountContext, 'data' | 'storage' | 'warn'>,
  id: string,
): Promise<BulkProgress | undefined> {
  const progress = await context.data.continueBulkJob(id)
  for (const replacement of progress?.replacements ?? []) await removeParts(context, replacement)
  return progress
}

export function listBulk({ data }: AccountContext): Promise<BulkJob[]> {
  return data.listBulkJobs()
}

export async function getBulk({ data }: AccountContext, id: string): Promise<BulkJob> {
  return known(await data.findBulkJob(id))
}

export async function cancelBulk({ data }: AccountContext, id: string): Promise<BulkJob> {
  return known(await data.cancelBulkJob(id))
}

/** Starts a change that undoes this one. Repeating the call returns the same change. */
export async function undoBulk(context: AccountContext, id: string): Promise<BulkJob> {
  const { clock, newId } = context
  const undo = { id: newId(), createdAt: clock() }
  const outcome = await context.dataOfCall().undoBulkJob(id, undo)
  if (outcome.outcome === 'job_not_found') throw jobNotFound()
  if (outcome.outcome === 'too_many_jobs') throw tooManyJobs()
  if (outcome.outcome === 'refused') throw notUndoable(outcome.job, clock())
  return continueInCall(context, outcome.job)
}

function known(job: BulkJob | undefined): BulkJob {
  if (job === undefined) throw jobNotFound()
  return job
}

function jobNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no bulk change with this ID, or it ended more than 7 days ago. Call GET /bulk.',
  )
}

function notUndoable(job: BulkJob, now: Date): ServiceError {
  const problem = problemWithUndoing(job, now)
  if (problem === 'running') {
    return new ServiceError(
      'bulk_in_progress',
      'The change is still running. Cancel it with POST /bulk/:id/cancel, or wait until it has ended.',
    )
  }
  const reasons = {
    permanent: 'Assets that were removed permanently cannot be restored.',
    unchanged: 'The change has changed no assets, so there is nothing to undo.',
    forgotten: 'The change is too old. It can be undone for 7 days.',
  }
  return new ServiceError('not_undoable', reasons[problem ?? 'forgotten'])
}
