import {
  BULK_BATCH,
  type BulkJobOutcome,
  MAX_RUNNING_BULK_JOBS,
  type NewBulkJob,
} from '../bulk-data.ts'
import { type BatchMethods, changeBatch } from '../shared/bulk-batch.ts'
import {
  type BulkJobRow,
  newBulkValues,
  readBatch,
  statusAfter,
  toBatches,
  toBulkJob,
  undoOf,
} from '../shared/bulk-jobs.ts'
import { type SelectedRow, unknownProducts } from '../shared/product-rows.ts'
import type { AccountMethods, BulkMethods, Writer } from '../shared/wire-account-data.ts'
import { accountAttachments } from './attachments.ts'
import { execute, inTransaction, joinTransaction, type Sql } from './connection.ts'
import { accountFolderMoves } from './folders.ts'
import { BULK_JOBS_LOCK, STATEMENTS } from './rows.ts'
import { accountTags } from './tags.ts'
import { accountTrash } from './trash.ts'

/** The row of a job is locked before everything else. */
export function accountBulkJobs(
  sql: Sql,
  writer: Writer,
): AccountMethods['bulkJobs'] & Pick<BulkMethods, 'addBulkJob' | 'undoBulkJob'> {
  const { account } = writer

  async function add(
    job: NewBulkJob,
    size: { total: number; batches: number; undoes?: string },
  ): Promise<BulkJobOutcome> {
    // Calls that begin jobs of the account run one after the other. Not the account's row, for which every change waits.
    await sql`select pg_advisory_xact_lock(${BULK_JOBS_LOCK}, hashtext(${account}::text))`
    const running = await execute(sql, STATEMENTS.countRunningBulkJobs, { account })
    if ((running ?? 0) >= MAX_RUNNING_BULK_JOBS) return { outcome: 'too_many_jobs' }
    await execute(sql, STATEMENTS.expireOldBulkJobs, { account })
    const row = await execute(sql, STATEMENTS.addBulkJob, newBulkValues(writer, job, size))
    if (row === undefined) throw new Error('the job was not stored')
    return { outcome: 'begun', job: toBulkJob(row) }
  }

  /** Undefined if another instance is changing assets of the job, or if it is not running. */
  async function lockRunning(id: string): Promise<BulkJobRow | undefined> {
    const [row] = await sql<BulkJobRow[]>`
      select * from bulk_jobs where id = ${id} and account_id = ${account} and status = 'running'
      for no key update skip locked`
    return row
  }

  /**
   * In the order of `postgres-database.ts`, because the groups of a batch lock their assets one after the other, and
   * some of them the account in between.
   */
  async function lockAll(assets: string[], products: string[]): Promise<void> {
    if (products.length > 0) {
      await sql`
        select from products where id = any(${products}::uuid[]) and account_id = ${account}
        order by product_id, variant_id for key share`
    }
    await sql`
      select from assets where id = any(${assets}::uuid[]) and account_id = ${account}
      order by id for no key update`
  }

  async function changeNext(row: BulkJobRow) {
    const { id, next_batch: number } = row
    const json = await execute(sql, STATEMENTS.nextBulkBatch, { id, number })
    const { change, entries, products } = readBatch(row, json ?? '[]')
    // A restoration is a single step, which locks other products before the assets.
    if (change.action !== 'restore') {
      await lockAll(
        entries.map((entry) => entry.id),
        products,
      )
    }
    const methods = batchMethods(sql, { account, actor: row.actor })
    const result = await joinTransaction(sql, async () => {
      const work = changeBatch(change, entries)
      let next = work.next()
      while (next.done !== true) {
        const { method, args } = next.value
        const call = methods[method] as (...args: unknown[]) => unknown
        next = work.next(await call(...args))
      }
      return next.value
    })
    await execute(sql, STATEMENTS.recordBulkBatch, {
      id,
      number,
      undo: JSON.stringify(result.undo),
    })
    const advanced = await execute(sql, STATEMENTS.advanceBulkJob, {
      id,
      done: entries.length,
      changed: result.undo.length,
      status: statusAfter(row, result.failure),
      failure: result.failure ?? null,
    })
    return { job: toBulkJob(advanced ?? row), isBusy: false, replacements: result.replacements }
  }

  return {
    addBulkJob: (job, assetIds) =>
      inTransaction(sql, async () => {
        const batches = toBatches(job.change, assetIds, BULK_BATCH)
        const size = { total: assetIds.length, batches: batches.length }
        const outcome = await add(job, size)
        if (outcome.outcome === 'begun') {
          await sql`
            insert into bulk_batches (job_id, number, assets)
            select ${job.id}, number - 1, assets
            from unnest(${batches}::text[]) with ordinality as given (assets, number)`
        }
        return outcome
      }),

    undoBulkJob: (id, undo) =>
      inTransaction(sql, async () => {
        const row = await execute(sql, STATEMENTS.lockBulkRow, { account, id })
        if (row === undefined) return { outcome: 'job_not_found' }
        const existing =
          row.undone_by === null
            ? undefined
            : await execute(sql, STATEMENTS.findBulkJob, { account, id: row.undone_by })
        if (existing !== undefined) return { outcome: 'begun', job: existing }
        const change = undoOf(row, undo.createdAt)
        if (change === undefined) return { outcome: 'refused', job: toBulkJob(row) }
        const batches = (await execute(sql, STATEMENTS.countBulkUndoBatches, { id })) ?? 0
        const size = { total: row.changed, batches, undoes: id }
        const outcome = await add({ ...undo, change }, size)
        if (outcome.outcome !== 'begun') return outcome
        await sql`
          insert into bulk_batches (job_id, number, assets)
          select ${undo.id}, row_number() over (order by number) - 1, undo
          from bulk_batches where job_id = ${id} and undo <> '[]'`
        await execute(sql, STATEMENTS.markBulkUndone, { id, by: undo.id })
        return outcome
      }),

    continueBulkJob: (id) =>
      inTransaction(sql, async () => {
        const row = await lockRunning(id)
        if (row !== undefined) return changeNext(row)
        const job = await execute(sql, STATEMENTS.findBulkJob, { account, id })
        return job && { job, isBusy: job.status === 'running', replacements: [] }
      }),

    async selectProducts(selection, limit) {
      const found = await sql<SelectedRow[]>`
        select id, product_id, variant_id, sku from products
        where account_id = ${account} and (
          product_id = any(${selection.productIds}::bigint[])
          or variant_id = any(${selection.variantIds}::bigint[])
          or id = any(${selection.ids}::uuid[])
          or sku = any(${selection.skus}::text[]))
        limit ${limit + 1}`
      return { ids: found.map(({ id }) => id), ...unknownProducts(selection, found) }
    },
  }
}

/** Their units of work are parts of the caller's transaction. */
function batchMethods(sql: Sql, writer: Writer): BatchMethods {
  const { trashAssets, deleteAssets, restoreAssets } = accountTrash(sql, writer)
  const { attachAssets, detachAssets } = accountAttachments(sql, writer)
  const { tagAssets, untagAssets } = accountTags(sql, writer)
  const { moveAssets } = accountFolderMoves(sql, writer)
  return {
    ...{ trashAssets, deleteAssets, restoreAssets, attachAssets, detachAssets },
    ...{ tagAssets, untagAssets, moveAssets },
  }
}
