import type { Service } from '@stowage/server/src/compose'
import {
  createChecksumJobs,
  recheckDamagedFiles,
  scrubFiles,
} from '@stowage/server/src/jobs/checksums'
import { forgetEvents } from '@stowage/server/src/jobs/forget-events'
import {
  continueBulkJobs,
  continueDeletions,
  continueFolderMoves,
  emptyTrash,
  forgetEndedAssets,
  forgetIdempotencyKeys,
  forgetUploadTokens,
} from '@stowage/server/src/jobs/schedule'
import {
  expireUploads,
  finishCompletions,
  removeOrphanedUploads,
} from '@stowage/server/src/jobs/uploads'
import type { Context } from '@stowage/server/src/operations/context'
import {
  attemptDelivery,
  CLAIM_MS,
  queueDeliveries,
} from '@stowage/server/src/operations/deliveries'
import { removeObjects } from '@stowage/server/src/operations/removals'
import postgres from 'postgres'
import { until } from '../machine/until.ts'

/** Stops the service's jobs, and returns a context in which the test runs them itself. */
export async function takeOverJobs({ context, stopJobs }: TakenOver): Promise<Context> {
  await stopJobs()
  return { ...context }
}

type TakenOver = Pick<Service, 'context' | 'stopJobs'>

/** Each runs a single job. Some use a later clock or other limits, so that a test does not wait until work is due. */
export const JOBS = {
  expireUploads: (context: Context) => expireUploads(context, NEVER),
  finishCompletions: (context: Context) => finishCompletions(context, NEVER, -LATER_MS),
  removeObjects: (context: Context) => removeObjects(later(context), NEVER),
  removeOrphanedUploads: (context: Context) => removeOrphanedUploads(context, NEVER),
  continueDeletions: (context: Context) => continueDeletions(context, NEVER),
  continueFolderMoves: (context: Context) => continueFolderMoves(context, NEVER),
  continueBulkJobs: (context: Context) => continueBulkJobs(context, NEVER),
  emptyTrash: (context: Context) => emptyTrash(withoutTrash(context), NEVER),
  forgetEndedAssets: (context: Context) => forgetEndedAssets(later(context), NEVER),
  forgetEvents: (context: Context) => forgetEvents(context, NEVER),
  computeChecksums,
  scrubFiles: (context: Context) => scrubFiles(later(context), NEVER),
  recheckDamagedFiles: (context: Context) => recheckDamagedFiles(context, NEVER),
} as const

/** Longer than the pauses after failures, and than the database keeps ended uploads. */
const LATER_MS = 8 * 24 * 3_600_000

function later(context: Context): Context {
  const clock = () => new Date(Date.now() + LATER_MS)
  const database = Object.create(context.database, { readClock: { value: async () => clock() } })
  return { ...context, clock, database }
}

function withoutTrash(context: Context): Context {
  return { ...context, settings: { ...context.settings, trashForMs: -1 } }
}

/** Compares files with their declared digests, and computes the digests of the others. */
async function computeChecksums(context: Context): Promise<void> {
  const { compare, compute } = createChecksumJobs(context)
  for (const job of [...compare, ...compute]) await job(context, NEVER)
}

/** A signal that is never aborted. */
export const NEVER = new AbortController().signal

/**
 * Runs every job once, except those for webhooks, the clock and the spare file. They run one after another, so that
 * all of their effects are visible afterward. As in the service, a job that fails does not stop the others. `stuckMs`
 * is the age at which a completion counts as interrupted.
 */
export async function runJobs(context: Context, { stuckMs }: { stuckMs?: number } = {}) {
  const jobs = [
    () => expireUploads(context, NEVER),
    // It cancels replacements, whose parts the next job removes.
    () => continueDeletions(context, NEVER),
    () => continueFolderMoves(context, NEVER),
    () => continueBulkJobs(context, NEVER),
    () => removeObjects(context, NEVER),
    () => finishCompletions(context, NEVER, stuckMs),
    () => removeOrphanedUploads(context, NEVER),
    () => emptyTrash(context, NEVER),
    () => forgetEndedAssets(context, NEVER),
    () => forgetEvents(context, NEVER),
    () => forgetUploadTokens(context, NEVER),
    () => forgetIdempotencyKeys(context, NEVER),
    () => computeChecksums(context),
    () => scrubFiles(context, NEVER),
    () => recheckDamagedFiles(context, NEVER),
  ]
  for (const job of jobs) {
    try {
      await job()
    } catch (error) {
      context.warn('a job failed', error)
    }
  }
}

const LIMITS = {
  limit: 50,
  perWebhook: 10,
  maxBytes: 1_000_000,
  maxBytesPerAccount: 1_000_000,
  runningBytes: new Map(),
}

/**
 * Queues and sends all deliveries that are due, as the job does. `afterMs` moves the clock forward, for deliveries
 * that wait for a retry. Returns the number of attempts.
 */
export async function deliverAll(context: Context, afterMs = 0): Promise<number> {
  const later = atLaterTime(context, afterMs)
  const { database } = later
  while ((await queueDeliveries(later)).hasMore);
  let count = 0
  for (const health of ['working', 'failing'] as const) {
    for (;;) {
      const now = await database.readClock()
      const claimedUntil = new Date(now.getTime() + CLAIM_MS)
      const claimed = await database.claimDeliveries(health, { now, claimedUntil }, LIMITS)
      if (claimed.length === 0) break
      await Promise.all(claimed.map((one) => attemptDelivery(later, one)))
      count += claimed.length
    }
  }
  return count
}

/** The same context, in which the database's clock is ahead. */
function atLaterTime(context: Context, afterMs: number): Context {
  const readClock = async () => new Date((await context.database.readClock()).getTime() + afterMs)
  return {
    ...context,
    database: Object.create(context.database, { readClock: { value: readClock } }),
  }
}

/**
 * A context for the jobs with an upload retention of zero: uploads that `moveExpiryToPast` was called
 * for expire in the next run, even if one of their parts has just been received.
 */
export function withoutRetention(context: Context): Context {
  return { ...context, settings: { ...context.settings, uploadsKeptForMs: 0 } }
}

/** A context for the jobs in which the database clock is this many hours ahead. */
export function withClockAhead(context: Context, hours: number): Context {
  return withClock(context, () => Date.now() + hours * 3_600_000)
}

/** A context for the jobs in which the database clock returns this time. */
export function withClock(context: Context, time: () => number): Context {
  const readClock = async () => new Date(time())
  return { ...context, database: { ...context.database, readClock } }
}

/**
 * Waits until every upload has passed its expiry, including uploads whose request got no response. Use it
 * only with a retention of seconds, and after the last upload has started.
 */
export async function untilAllPastExpiry({ settings }: Context): Promise<void> {
  const begin = Date.now()
  const { uploadsKeptForMs: keptForMs } = settings
  const isOver = () => Date.now() - begin > keptForMs
  await until('every upload has passed its expiry', isOver, 2 * keptForMs)
}

/** Moves the expiry of every upload in this PostgreSQL database to now. */
export async function moveAllExpiriesToPast(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`update assets set expires_at = now() where status in ('uploading', 'completing')`
  await sql.end()
}

/** Moves the expiry of these uploads to the past, as if they had been inactive for long enough. */
export async function moveExpiryToPast(
  { database }: Context,
  assetIds: Iterable<string>,
  accountName = 'default',
): Promise<void> {
  const account = await database.findAccount(accountName)
  const data = database.of(account?.id ?? '')
  for (const id of assetIds) await data.renewUpload(id, -1)
}
