import { createChecksumJobs, recheckDamagedFiles, scrubFiles } from '../../src/jobs/checksums.ts'
import { forgetEvents } from '../../src/jobs/forget-events.ts'
import { removeObjects } from '../../src/jobs/remove-objects.ts'
import {
  continueDeletions,
  emptyTrash,
  forgetEndedAssets,
  forgetUploadTokens,
} from '../../src/jobs/schedule.ts'
import { expireUploads, finishCompletions, removeOrphanedUploads } from '../../src/jobs/uploads.ts'
import type { Context } from '../../src/operations/context.ts'

/**
 * Returns a context in which the test runs the service's jobs itself. After this call, the service's own jobs find
 * nothing to do, except those that remove orphaned uploads and old rows.
 */
export function takeOverJobs({ context }: { context: Context }): Context {
  const own = { ...context }
  context.database = {
    ...own.database,
    listOverdueUploads: async () => [],
    claimStuckCompletions: async () => [],
    claimDueRemovals: async () => [],
    removeOldTrash: async () => 0,
    listTrashAll: async () => [],
    claimVerifications: async () => [],
    claimWithheld: async () => undefined,
    listWebhooksBehind: async () => [],
    // The service's job may already be waiting for the list of webhooks.
    addDeliveries: async () => false,
    claimDeliveries: async () => [],
    // It would advance deliveries that a test has postponed with a later clock.
    trimDeliveries: async () => 0,
  }
  return own
}

/** As `takeOverJobs`, but only for the job that expires uploads: the service's own job would renew them first. */
export function takeOverExpiry({ context }: { context: Context }): Context {
  const own = { ...context }
  context.database = { ...own.database, listOverdueUploads: async () => [] }
  return own
}

/** As `takeOverExpiry`, and for the jobs that verify files: the model knows when they run. */
export function takeOverJobsOfModel(service: { context: Context }): Context {
  const own = takeOverExpiry(service)
  service.context.database = {
    ...service.context.database,
    claimVerifications: async () => [],
    claimWithheld: async () => undefined,
  }
  return own
}

/** Each runs a single job. Some use a later clock or other limits, so that a test does not wait until work is due. */
export const JOBS = {
  expireUploads: (context: Context) => expireUploads(context, NEVER),
  finishCompletions: (context: Context) => finishCompletions(context, NEVER, -LATER_MS),
  removeObjects: (context: Context) => removeObjects(later(context), NEVER),
  removeOrphanedUploads: (context: Context) => removeOrphanedUploads(context, NEVER),
  continueDeletions: (context: Context) => continueDeletions(context, NEVER),
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
    () => removeObjects(context, NEVER),
    () => finishCompletions(context, NEVER, stuckMs),
    () => removeOrphanedUploads(context, NEVER),
    () => emptyTrash(context, NEVER),
    () => forgetEndedAssets(context, NEVER),
    () => forgetEvents(context, NEVER),
    () => forgetUploadTokens(context, NEVER),
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
