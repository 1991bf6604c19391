import { expireUploads } from '../../src/jobs/expire-uploads.ts'
import { finishCompletions } from '../../src/jobs/finish-completions.ts'
import { forgetEndedAssets } from '../../src/jobs/forget-ended-assets.ts'
import { removeObjects } from '../../src/jobs/remove-objects.ts'
import { removeOrphanedUploads } from '../../src/jobs/remove-orphaned-uploads.ts'
import type { Context } from '../../src/operations/context.ts'

/**
 * A context in which a test runs the jobs of a service alone: the service's own find nothing to do
 * from now on.
 */
export function takeOverJobs({ context }: { context: Context }): Context {
  const own = { ...context }
  context.database = {
    ...own.database,
    listOverdueUploads: async () => [],
    claimStuckCompletions: async () => [],
    claimDueRemovals: async () => [],
  }
  return own
}

/** Each job on its own, at a time when everything that it looks for is due. */
export const JOBS = {
  expireUploads: (context: Context) => expireUploads(context, NEVER),
  finishCompletions: (context: Context) => finishCompletions(context, NEVER, -LATER_MS),
  removeObjects: (context: Context) => removeObjects(later(context), NEVER),
  removeOrphanedUploads: (context: Context) => removeOrphanedUploads(context, NEVER),
  forgetEndedAssets: (context: Context) => forgetEndedAssets(later(context), NEVER),
} as const

/** Beyond the pauses after failures, and beyond the time that ended uploads are remembered. */
const LATER_MS = 8 * 24 * 3_600_000

function later(context: Context): Context {
  const clock = () => new Date(Date.now() + LATER_MS)
  const database = Object.create(context.database, { readClock: { value: async () => clock() } })
  return { ...context, clock, database }
}

/** A signal that is never aborted. */
export const NEVER = new AbortController().signal

/**
 * Every job once, one after the other, so that a test knows what has happened afterwards. As in the
 * service, one that fails does not keep the others from running. `stuckMs` is how old a completion
 * must be to count as interrupted.
 */
export async function runJobs(context: Context, { stuckMs }: { stuckMs?: number } = {}) {
  const jobs = [
    () => expireUploads(context, NEVER),
    () => removeObjects(context, NEVER),
    () => finishCompletions(context, NEVER, stuckMs),
    () => removeOrphanedUploads(context, NEVER),
    () => forgetEndedAssets(context, NEVER),
  ]
  for (const job of jobs) {
    try {
      await job()
    } catch (error) {
      context.warn('a job failed', error)
    }
  }
}
