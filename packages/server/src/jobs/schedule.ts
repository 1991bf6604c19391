import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../operations/context.ts'
import { SHUTDOWN_TIMEOUT_MS } from '../shutdown-timeout.ts'
import { createChecksumJobs } from './compute-checksums.ts'
import { continueDeletions } from './continue-deletions.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { emptyTrash } from './empty-trash.ts'
import { expireUploads } from './expire-uploads.ts'
import { finishCompletions, STUCK_MS } from './finish-completions.ts'
import { forgetDeliveries } from './forget-deliveries.ts'
import { forgetEndedAssets } from './forget-ended-assets.ts'
import { limitEvents } from './forget-events.ts'
import { forgetUploadTokens } from './forget-upload-tokens.ts'
import { BATCH, type Job } from './job.ts'
import { recheckDamagedFiles } from './recheck-damaged-files.ts'
import { removeObjects } from './remove-objects.ts'
import { removeOrphanedUploads } from './remove-orphaned-uploads.ts'
import { scrubFiles } from './scrub-files.ts'
import { sealSecrets } from './seal-secrets.ts'
import { createWakeUp, type WakeUp } from './wake-up.ts'
import { watchClock } from './watch-clock.ts'
import { watchSchema } from './watch-schema.ts'

/** The pause between two runs of a job. */
const PAUSE_MS = 15_000
/** Shorter, because clients that declared a digest wait for its comparison. Then the job waits for an event. */
const CHECKSUMS_PAUSE_MS = 400
/** How long it waits for an event. Files of an instance that was killed, and failed reads, do not write one. */
const CHECKSUMS_IDLE_MS = 5_000
/** Longer: an upgrade takes longer, too. */
const SCHEMA_PAUSE_MS = 60_000
/** Longer: orphans are rare and harmless, and S3 providers charge for listing all open uploads. */
const ORPHANS_PAUSE_MS = 3_600_000

/** How long a revoked key is listed, so that the log and the events can be understood. */
const REVOKED_KEYS_KEPT_MS = 90 * 24 * 3_600_000
const REVOKED_KEYS_PAUSE_MS = 3_600_000

/** The events of a removed key keep its name. */
export const forgetRevokedKeys: Job = async ({ database }, signal) => {
  const now = await database.readClock()
  const before = new Date(now.getTime() - REVOKED_KEYS_KEPT_MS)
  while (!signal.aborted && (await database.forgetRevokedKeys(before, BATCH)) === BATCH);
}

const reserveDiskSpace: Job = ({ database }) => database.reserveDiskSpace()

export interface Schedule {
  /**
   * Starts nothing more and waits for the running items, for at most `withinMs`: every job can be
   * interrupted at any point and continues later.
   */
  close(withinMs?: number): Promise<void>
}

/**
 * Runs the jobs repeatedly, each in its own loop, so that a backlog or an outage in one does not delay the
 * others. All but one run immediately. If no other instance can be running (`isAlone`), every unfinished
 * completion at the start was interrupted.
 */
export function openSchedule(context: Context, { isAlone }: { isAlone: boolean }): Schedule {
  const stop = new AbortController()
  const { signal } = stop
  let isFirst = true

  function repairCompletions(): Promise<void> {
    const stuckMs = isAlone && isFirst ? 0 : STUCK_MS
    isFirst = false
    return finishCompletions(context, signal, stuckMs)
  }

  const { compare, compute } = createChecksumJobs(context)
  const wakeUps = new Set<WakeUp>()
  // Every completion writes an event, on whichever instance.
  const stopListening = context.database.onEvents(() => {
    for (const wakeUp of wakeUps) wakeUp.wake()
  })
  signal.addEventListener('abort', stopListening, { once: true })
  // Without the key, no request can be signed. The deliveries stay pending.
  const hasKey = !context.secretKey.isLost
  const loops = [
    repeat('expireUploads', PAUSE_MS, expireUploads),
    repeat('removeObjects', PAUSE_MS, removeObjects),
    repeat('finishCompletions', PAUSE_MS, repairCompletions),
    repeat('removeOrphanedUploads', ORPHANS_PAUSE_MS, removeOrphanedUploads),
    repeat('continueDeletions', PAUSE_MS, continueDeletions),
    repeat('emptyTrash', PAUSE_MS, emptyTrash),
    repeat('forgetEndedAssets', PAUSE_MS, forgetEndedAssets),
    repeat('forgetUploadTokens', PAUSE_MS, forgetUploadTokens),
    ...compare.map((job) => repeatOnEvents('compareChecksums', job)),
    ...compute.map((job) => repeatOnEvents('computeChecksums', job)),
    repeat('forgetRevokedKeys', REVOKED_KEYS_PAUSE_MS, forgetRevokedKeys),
    repeat('scrubFiles', PAUSE_MS, scrubFiles),
    repeat('recheckDamagedFiles', PAUSE_MS, recheckDamagedFiles),
    ...(hasKey ? [deliverWebhooks(context, signal)] : []),
    limitEvents(context, signal),
    ...(hasKey ? [repeat('sealSecrets', ORPHANS_PAUSE_MS, sealSecrets)] : []),
    repeat('forgetDeliveries', PAUSE_MS, forgetDeliveries),
    repeat('watchClock', PAUSE_MS, watchClock),
    repeat('watchSchema', SCHEMA_PAUSE_MS, watchSchema),
    // Delayed, so that it does not slow the start down by writing megabytes.
    pauseFor(PAUSE_MS).then(() => repeat('reserveDiskSpace', PAUSE_MS, reserveDiskSpace)),
  ]

  function repeatOnEvents(name: string, job: Job): Promise<void> {
    const wakeUp = createWakeUp()
    wakeUps.add(wakeUp)
    return repeat(name, CHECKSUMS_PAUSE_MS, job, wakeUp)
  }

  async function repeat(name: string, pauseMs: number, job: Job, wakeUp?: WakeUp): Promise<void> {
    while (!signal.aborted) {
      try {
        await job(context, signal)
      } catch (error) {
        context.warn(`the job ${name} failed; retrying later`, error)
      }
      await pauseFor(pauseMs)
      await wakeUp?.wait(CHECKSUMS_IDLE_MS, signal)
    }
  }

  async function pauseFor(pauseMs: number): Promise<void> {
    // The pause rejects if the signal is aborted.
    await pause(pauseMs, undefined, { signal }).catch(() => {})
  }

  return {
    async close(withinMs = SHUTDOWN_TIMEOUT_MS) {
      stop.abort()
      const late = new AbortController()
      const limit = pause(withinMs, undefined, { signal: late.signal }).catch(() => {})
      await Promise.race([Promise.all(loops), limit])
      late.abort()
    },
  }
}
