import type { Upload } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import {
  type BulkJobOutcome,
  type BulkProgress,
  type BulkUndoOutcome,
  MAX_RUNNING_BULK_JOBS,
  type NewBulkJob,
} from '../bulk-data.ts'
import { changeBatch } from '../shared/bulk-batch.ts'
import {
  type BulkJobRow,
  newBulkValues,
  readBatch,
  statusAfter,
  toBatches,
  toBulkJob,
  undoOf,
} from '../shared/bulk-jobs.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareBulkAttachments, prepareProductSelection } from './attachments.ts'
import type { Connection } from './connection.ts'
import { prepareBulkMoves } from './folder-moves.ts'
import { runSteps, type Steps } from './long-writes.ts'
import { STATEMENTS } from './rows.ts'
import { prepareBulkTags } from './tags.ts'
import { prepareBulkTrash } from './trash.ts'

/** Fewer than `BULK_BATCH`, because a transaction blocks the event loop: about ten milliseconds. */
const BATCH = 40

/** Stores jobs. Each batch is a step. */
export function prepareNewBulkJobs({ prepare, execute }: Connection) {
  const addBatch = prepare(
    'insert into bulk_batches (job_id, number, assets) values (:id, :number, :assets)',
  )
  const nextUndo = prepare<{ number: number; undo: string }>(
    `select number, undo from bulk_batches
     where job_id = :id and number > :after and undo <> '[]' order by number limit 1`,
  )

  function add(
    writer: Writer,
    job: NewBulkJob,
    size: { total: number; batches: number; undoes?: string },
  ): BulkJobOutcome {
    const { account } = writer
    const running = execute(STATEMENTS.countRunningBulkJobs, { account }) ?? 0
    if (running >= MAX_RUNNING_BULK_JOBS) return { outcome: 'too_many_jobs' }
    execute(STATEMENTS.expireOldBulkJobs, { account })
    const row = execute(STATEMENTS.addBulkJob, newBulkValues(writer, job, size))
    if (row === undefined) throw new Error('the job was not stored')
    return { outcome: 'begun', job: toBulkJob(row) }
  }

  return {
    *addBulkJob(writer: Writer, job: NewBulkJob, assetIds: string[]): Steps<BulkJobOutcome> {
      const batches = toBatches(job.change, assetIds, BATCH)
      const outcome = add(writer, job, { total: assetIds.length, batches: batches.length })
      if (outcome.outcome !== 'begun') return outcome
      for (const [number, assets] of batches.entries()) {
        addBatch.run({ id: job.id, number, assets })
        yield
      }
      return outcome
    },

    *undoBulkJob(
      writer: Writer,
      id: string,
      undo: Omit<NewBulkJob, 'change'>,
    ): Steps<BulkUndoOutcome> {
      const { account } = writer
      const row = execute(STATEMENTS.findBulkRow, { account, id })
      if (row === undefined) return { outcome: 'job_not_found' }
      const by = row.undone_by
      const existing =
        by === null ? undefined : execute(STATEMENTS.findBulkJob, { account, id: by })
      if (existing !== undefined) return { outcome: 'begun', job: existing }
      const change = undoOf(row, undo.createdAt)
      if (change === undefined) return { outcome: 'refused', job: toBulkJob(row) }
      const batches = execute(STATEMENTS.countBulkUndoBatches, { id }) ?? 0
      const outcome = add(writer, { ...undo, change }, { total: row.changed, batches, undoes: id })
      if (outcome.outcome !== 'begun') return outcome
      for (let number = 0, after = -1; ; number += 1) {
        const batch = nextUndo.get({ id, after })
        if (batch === undefined) break
        addBatch.run({ id: undo.id, number, assets: batch.undo })
        after = batch.number
        yield
      }
      execute(STATEMENTS.markBulkUndone, { id, by: undo.id })
      return outcome
    },
  }
}

/** Changes the assets of jobs. */
export function prepareBulkJobs(connection: Connection) {
  const { execute, transaction } = connection
  const select = prepareProductSelection(connection)
  const methods = {
    ...prepareBulkTrash(connection),
    ...prepareBulkAttachments(connection),
    ...prepareBulkTags(connection),
    ...prepareBulkMoves(connection),
  }

  function changeNext(account: string, row: BulkJobRow): BulkProgress {
    const { id, next_batch: number } = row
    const writer: Writer = { account, actor: row.actor }
    const json = execute(STATEMENTS.nextBulkBatch, { id, number }) ?? '[]'
    const { change, entries } = readBatch(row, json)
    const work = changeBatch(change, entries)
    let next = work.next()
    while (next.done !== true) {
      const { method, args } = next.value
      const call = methods[method] as (writer: Writer, ...args: unknown[]) => Steps<unknown>
      next = work.next(runSteps(call(writer, ...args)))
    }
    const { undo, failure, replacements } = next.value
    execute(STATEMENTS.recordBulkBatch, { id, number, undo: JSON.stringify(undo) })
    const advanced = execute(STATEMENTS.advanceBulkJob, {
      id,
      done: entries.length,
      changed: undo.length,
      status: statusAfter(row, failure),
      failure: failure ?? null,
    })
    return { job: toBulkJob(advanced ?? row), isBusy: false, replacements }
  }

  return {
    continueBulkJob({ account }: Writer, id: string): BulkProgress | undefined {
      return transaction(() => {
        const row = execute(STATEMENTS.findBulkRow, { account, id })
        if (row === undefined) return undefined
        if (row.status === 'running') return changeNext(account, row)
        return { job: toBulkJob(row), isBusy: false, replacements: [] as Upload[] }
      })
    },

    selectProducts({ account }: Writer, selection: ProductSelection, limit: number) {
      const { ids, unknown, isComplete } = select(account, selection)
      return { ids: ids.slice(0, limit + 1), unknown, isComplete }
    },
  }
}
