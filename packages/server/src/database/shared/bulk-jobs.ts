import {
  type BulkChange,
  type BulkEntry,
  type BulkFailure,
  type BulkJob,
  oppositeOf,
  problemWithUndoing,
} from '../../domain/bulk.ts'
import {
  BULK_BATCH_ATTACHMENTS,
  BULK_JOBS_KEPT_MS,
  type BulkBatchRecord,
  type BulkJobRecord,
  type BulkMiscount,
  KEPT_BULK_JOBS,
  MAX_RUNNING_BULK_JOBS,
  type NewBulkJob,
} from '../bulk-data.ts'
import { type Dialect, statement } from './dialect.ts'
import { type Time, toDate, toDateOrNull } from './rows.ts'

const COLUMNS = `id, change, actor, status, failure, created_at, finished_at, kept_until, total, done, changed,
  batches, next_batch, undoes, undone_by`

export interface BulkJobRow {
  id: string
  change: string
  actor: string
  status: BulkJob['status']
  failure: BulkFailure | null
  created_at: Time
  finished_at: Time | null
  kept_until: Time | null
  total: number
  done: number
  changed: number
  batches: number
  next_batch: number
  undoes: string | null
  undone_by: string | null
}

export function toBulkJob(row: BulkJobRow): BulkJob {
  return {
    id: row.id,
    change: JSON.parse(row.change),
    status: row.status,
    failure: row.failure,
    createdAt: toDate(row.created_at),
    finishedAt: toDateOrNull(row.finished_at),
    keptUntil: toDateOrNull(row.kept_until),
    total: row.total,
    done: row.done,
    changed: row.changed,
    undoes: row.undoes,
    undoneBy: row.undone_by,
  }
}

function toRecord(row: BulkJobRow): BulkJobRecord {
  return { job: toBulkJob(row), by: row.actor, batches: row.batches, nextBatch: row.next_batch }
}

type Own = { account: string; id: string }

/** Statements for the jobs of an account, and for those of all accounts. */
export function bulkStatementsOf(dialect: Dialect) {
  const { clock, id: idOf } = dialect
  const own = `account_id = :account and id = ${idOf('id')}`
  const keptUntil = dialect.later(clock, BULK_JOBS_KEPT_MS)
  const ofBatches = (value: string, condition: string) =>
    `cast((select coalesce(sum(${value}), 0) from bulk_batches b
       where b.job_id = bulk_jobs.id and ${condition}) as bigint)`
  const stored = ofBatches('1', 'true')
  const read = ofBatches(dialect.lengthOfJson('b.assets'), 'b.undo is not null')
  const changed = ofBatches(dialect.lengthOfJson('b.undo'), 'b.undo is not null')
  const isCut = `status = 'running' and batches <> ${stored}`
  return {
    findBulkRow: statement<Own>(`select ${COLUMNS} from bulk_jobs where ${own}`).first(
      (row: BulkJobRow) => row,
    ),
    /** For a change of the job, after the transaction that is changing it. */
    lockBulkRow: statement<Own>(
      `select ${COLUMNS} from bulk_jobs where ${own} ${dialect.lock}`,
    ).first((row: BulkJobRow) => row),
    findBulkJob: statement<Own>(`select ${COLUMNS} from bulk_jobs where ${own}`).first(toBulkJob),
    listBulkJobs: statement<{ account: string }>(
      `select ${COLUMNS} from bulk_jobs where account_id = :account order by id desc
       limit ${KEPT_BULK_JOBS + MAX_RUNNING_BULK_JOBS}`,
    ).every(toBulkJob),
    listBulkJobRecords: statement<{ account: string }>(
      `select ${COLUMNS} from bulk_jobs where account_id = :account order by id`,
    ).every(toRecord),
    listBulkBatches: statement<Own & { from: number; limit: number }>(
      `select number, assets, undo from bulk_batches
       where job_id = (select id from bulk_jobs where ${own}) and number >= :from
       order by number limit :limit`,
    ).every((row: BulkBatchRecord) => row),
    countRunningBulkJobs: statement<{ account: string }>(
      `select count(*) as count from bulk_jobs where account_id = :account and status = 'running'`,
    ).first(({ count }: { count: number }) => count),
    /**
     * The ended jobs of the account that are too many. Their batches are deleted in the background. Those that another call
     * is undoing are left for the next call.
     */
    expireOldBulkJobs: statement<{ account: string }>(
      `update bulk_jobs set kept_until = ${clock} where ${dialect.isOneOf(
        'id',
        `select id from bulk_jobs
         where account_id = :account and status <> 'running' and kept_until > ${clock} and id not in (
           select id from bulk_jobs where account_id = :account and status <> 'running'
           order by id desc limit ${KEPT_BULK_JOBS - 1})`,
      )}`,
    ).none(),
    addBulkJob: statement<{
      id: string
      account: string
      change: string
      actor: string
      created_at: Date
      total: number
      batches: number
      undoes: string | null
    }>(
      `insert into bulk_jobs (id, account_id, change, actor, status, created_at, finished_at, kept_until, total,
         batches, undoes)
       values (:id, :account, :change, :actor, case cast(:total as bigint) when 0 then 'finished' else 'running' end, :created_at,
         case cast(:total as bigint) when 0 then ${clock} end, case cast(:total as bigint) when 0 then ${keptUntil} end, :total, :batches,
         cast(:undoes as ${dialect.idType}))
       returning ${COLUMNS}`,
    ).first((row: BulkJobRow) => row),
    importBulkJob: statement<{
      id: string
      account: string
      change: string
      actor: string
      status: string
      failure: string | null
      created_at: Date
      finished_at: Date | null
      kept_until: Date | null
      total: number
      done: number
      changed: number
      batches: number
      next_batch: number
      undoes: string | null
      undone_by: string | null
    }>(
      `insert into bulk_jobs (id, account_id, change, actor, status, failure, created_at, finished_at, kept_until,
         total, done, changed, batches, next_batch, undoes, undone_by)
       values (:id, :account, :change, :actor, :status, cast(:failure as text), :created_at, :finished_at, :kept_until,
         :total, :done, :changed, :batches, :next_batch, cast(:undoes as ${dialect.idType}),
         cast(:undone_by as ${dialect.idType}))
       on conflict do nothing`,
    ).none(),
    importBulkBatch: statement<{ id: string; number: number; assets: string; undo: string | null }>(
      `insert into bulk_batches (job_id, number, assets, undo)
       values (:id, :number, :assets, cast(:undo as text)) on conflict do nothing`,
    ).none(),
    nextBulkBatch: statement<{ id: string; number: number }>(
      `select assets from bulk_batches where job_id = ${idOf('id')} and number = :number`,
    ).first(({ assets }: { assets: string }) => assets),
    recordBulkBatch: statement<{ id: string; number: number; undo: string }>(
      `update bulk_batches set undo = :undo where job_id = ${idOf('id')} and number = :number`,
    ).none(),
    advanceBulkJob: statement<{
      id: string
      done: number
      changed: number
      status: string
      failure: string | null
    }>(
      `update bulk_jobs set done = done + :done, changed = changed + :changed, next_batch = next_batch + 1,
         status = :status, failure = cast(:failure as text),
         finished_at = case cast(:status as text) when 'running' then finished_at else ${clock} end,
         kept_until = case cast(:status as text) when 'running' then kept_until else ${keptUntil} end
       where id = ${idOf('id')} returning ${COLUMNS}`,
    ).first((row: BulkJobRow) => row),
    cancelBulkJob: statement<Own>(
      `update bulk_jobs set status = 'cancelled', finished_at = ${clock}, kept_until = ${keptUntil}
       where ${own} and status = 'running'`,
    ).none(),
    /** Also keeps it as long as the job that undoes it. */
    markBulkUndone: statement<{ id: string; by: string }>(
      `update bulk_jobs set undone_by = ${idOf('by')}, kept_until = ${keptUntil} where id = ${idOf('id')}`,
    ).none(),
    countBulkUndoBatches: statement<{ id: string }>(
      `select count(*) as count from bulk_batches where job_id = ${idOf('id')} and undo <> '[]'`,
    ).first(({ count }: { count: number }) => count),
    forgetBulkBatches: statement<{ limit: number }>(
      `delete from bulk_batches where (job_id, number) in (
         select job_id, number from bulk_batches
         where job_id in (select id from bulk_jobs where kept_until <= ${clock}) limit :limit)
       returning number`,
    ).every((row: { number: number }) => row.number),
    forgetBulkJobs: statement<{ limit: number }>(
      `delete from bulk_jobs where id in (
         select id from bulk_jobs where kept_until <= ${clock}
           and not exists (select 1 from bulk_batches where job_id = bulk_jobs.id) limit :limit)
       returning id`,
    ).every((row: { id: string }) => row.id),
    compareBulkJobs: statement<{ limit: number }>(
      `select * from (
         select account_id, id, batches, done, changed, ${stored} as stored, ${read} as actually_done,
           ${changed} as actually_changed
         from bulk_jobs where kept_until is null or kept_until > ${clock}) compared
       where stored <> batches or actually_done <> done or actually_changed <> changed limit :limit`,
    ).every(
      (row: {
        account_id: string
        id: string
        batches: number
        done: number
        changed: number
        stored: number
        actually_done: number
        actually_changed: number
      }): BulkMiscount => ({
        accountId: row.account_id,
        id: row.id,
        batches: { stored: row.stored, expected: row.batches },
        done: { counted: row.done, actual: row.actually_done },
        changed: { counted: row.changed, actual: row.actually_changed },
      }),
    ),
    repairBulkJob: statement<{ id: string }>(
      `update bulk_jobs set batches = ${stored}, done = ${read}, changed = ${changed},
         status = case when ${isCut} then 'cancelled' else status end,
         finished_at = case when ${isCut} then ${clock} else finished_at end,
         kept_until = case when ${isCut} then ${keptUntil} else kept_until end
       where id = ${idOf('id')}`,
    ).none(),
    listRunningBulkJobs: statement(
      `select account_id as account, id from bulk_jobs where status = 'running' order by id`,
    ).every((row: { account: string; id: string }) => row),
  }
}

/** The columns of a copied job. */
export function toBulkJobValues(account: string, { job, by, batches, nextBatch }: BulkJobRecord) {
  return {
    id: job.id,
    account,
    change: JSON.stringify(job.change),
    actor: by,
    status: job.status,
    failure: job.failure,
    created_at: job.createdAt,
    finished_at: job.finishedAt,
    kept_until: job.keptUntil,
    total: job.total,
    done: job.done,
    changed: job.changed,
    batches,
    next_batch: nextBatch,
    undoes: job.undoes,
    undone_by: job.undoneBy,
  }
}

/** The batches of a new job, each as JSON. */
export function toBatches(change: BulkChange, assetIds: string[], most: number): string[] {
  const attachments = change.products?.length ?? 1
  const size = Math.max(1, Math.min(most, Math.floor(BULK_BATCH_ATTACHMENTS / attachments)))
  const batches: string[] = []
  for (let start = 0; start < assetIds.length; start += size) {
    batches.push(JSON.stringify(assetIds.slice(start, start + size)))
  }
  return batches
}

/** The values of a new job. */
export function newBulkValues(
  { account, actor }: { account: string; actor: string },
  { id, change, createdAt }: NewBulkJob,
  { total, batches, undoes = null }: { total: number; batches: number; undoes?: string | null },
) {
  const json = JSON.stringify(change)
  return { id, account, actor, change: json, created_at: createdAt, total, batches, undoes }
}

/** The change that undoes the job; undefined if it cannot be undone at this time. */
export function undoOf(row: BulkJobRow, now: Date): BulkChange | undefined {
  const job = toBulkJob(row)
  if (problemWithUndoing(job, now) !== undefined) return undefined
  return oppositeOf(job.change)
}

/** The status of a job after the batch that it is at. */
export function statusAfter(
  { next_batch, batches }: BulkJobRow,
  failure: BulkFailure | undefined,
): BulkJob['status'] {
  if (failure !== undefined) return 'failed'
  return next_batch + 1 >= batches ? 'finished' : 'running'
}

/** The assets of a batch, with the products that each of them needs. */
export function readBatch({ change }: BulkJobRow, json: string) {
  const parsed: BulkChange = JSON.parse(change)
  const entries = (JSON.parse(json) as (string | BulkEntry)[]).map((entry) =>
    typeof entry === 'string' ? { id: entry } : entry,
  )
  const products = new Set(entries.flatMap((entry) => entry.products ?? parsed.products ?? []))
  return { change: parsed, entries, products: [...products] }
}
