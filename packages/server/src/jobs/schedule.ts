import { setTimeout as pause } from 'node:timers/promises'
import { MAX_KEPT_DELIVERIES } from '@stowage/protocol'
import { skewText } from '../domain/clock-skew.ts'
import { continueBulk } from '../operations/bulk.ts'
import type { Context } from '../operations/context.ts'
import { removeObjects } from '../operations/removals.ts'
import { createChecksumJobs, recheckDamagedFiles, scrubFiles } from './checksums.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { createDiskWatch } from './disk-forecast.ts'
import { limitEvents } from './forget-events.ts'
import { BATCH, createWakeUp, type Job, type WakeUp } from './job.ts'
import { removeAccounts } from './remove-accounts.ts'
import { reportInstance } from './report-instance.ts'
import { forgetMails, sendMails } from './send-mails.ts'
import { expireUploads, finishCompletions, removeOrphanedUploads, STUCK_MS } from './uploads.ts'

/** The pause between two runs of a job. */
export const PAUSE_MS = 15_000
/** Shorter, because clients that declared a digest wait for its comparison. Then the job waits for an event. */
const EVENTS_PAUSE_MS = 400
/** For jobs whose work is not noticed if it is done a minute later: each run of a job costs an idle instance statements. */
const LONG_PAUSE_MS = 60_000
/** Longer: orphans are rare and harmless, and S3 providers charge for listing all open uploads. */
const ORPHANS_PAUSE_MS = 3_600_000

const REVOKED_KEYS_PAUSE_MS = 3_600_000

/** Called after each run of a job. `error` is undefined if it succeeded. */
export type OnRun = (run: { job: string; ms: number; error: unknown }) => void

/** A job that fails so often in a row is reported by the readiness check. */
const FAILURES_OF_A_JOB = 3

interface Schedule {
  /**
   * Starts nothing more and waits for the running items, for at most `withinMs`: every job can be
   * interrupted at any point and continues later.
   */
  close(withinMs: number): Promise<void>
}

/**
 * Runs the jobs repeatedly, each in its own loop, so that a backlog or an outage in one does not delay the
 * others. All but one run immediately. If no other instance can be running (`isAlone`), every unfinished
 * completion at the start was interrupted.
 */
export function openSchedule(
  context: Context,
  { isAlone, onRun }: { isAlone: boolean; onRun?: OnRun | undefined },
): Schedule {
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
  // Every completion writes an event, on whichever instance. A call without an account is a regular check, or says that
  // another instance has written many events: that instance reads the files itself.
  const stopListening = context.database.onEvents((accountId) => {
    if (accountId === undefined) return
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
    repeat('continueFolderMoves', PAUSE_MS, continueFolderMoves),
    repeatOnEvents('continueBulkJobs', continueBulkJobs),
    repeat('continueProductDeletions', PAUSE_MS, continueProductDeletions),
    repeat('forgetBulkJobs', LONG_PAUSE_MS, forgetBulkJobs),
    repeat('emptyTrash', PAUSE_MS, emptyTrash),
    repeat('removeAccounts', PAUSE_MS, removeAccounts),
    repeat('forgetEndedAssets', LONG_PAUSE_MS, forgetEndedAssets),
    repeat('forgetUploadTokens', LONG_PAUSE_MS, forgetUploadTokens),
    repeat('forgetDownloads', LONG_PAUSE_MS, forgetDownloads),
    repeat('forgetIdempotencyKeys', LONG_PAUSE_MS, forgetIdempotencyKeys),
    repeat('forgetArchives', LONG_PAUSE_MS, forgetArchives),
    ...compare.map((job) => repeatOnEvents('compareChecksums', job)),
    ...compute.map((job) => repeatOnEvents('computeChecksums', job)),
    repeat('forgetRevokedKeys', REVOKED_KEYS_PAUSE_MS, forgetRevokedKeys),
    repeat('scrubFiles', PAUSE_MS, scrubFiles),
    repeat('recheckDamagedFiles', PAUSE_MS, recheckDamagedFiles),
    ...(hasKey ? [deliverWebhooks(context, signal), sendMails(context, signal)] : []),
    repeat('forgetMails', LONG_PAUSE_MS, forgetMails),
    limitEvents(context, signal),
    repeat('forgetDeliveries', LONG_PAUSE_MS, forgetDeliveries),
    repeat('watchClock', PAUSE_MS, watchClock),
    repeat('watchDisk', LONG_PAUSE_MS, createDiskWatch()),
    repeat('watchSchema', LONG_PAUSE_MS, watchSchema),
    // An instance that is killed leaves its row, which others delete.
    repeat('reportInstance', LONG_PAUSE_MS, reportInstance).then(() =>
      context.database.removeInstance(context.instance.id).catch(() => {}),
    ),
    // Delayed, so that it does not slow the start down by writing megabytes.
    pauseFor(PAUSE_MS).then(() => repeat('reserveDiskSpace', PAUSE_MS, reserveDiskSpace)),
  ]

  function repeatOnEvents(name: string, job: Job): Promise<void> {
    const wakeUp = createWakeUp()
    wakeUps.add(wakeUp)
    return repeat(name, EVENTS_PAUSE_MS, job, wakeUp)
  }

  async function repeat(name: string, pauseMs: number, job: Job, wakeUp?: WakeUp): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const begin = performance.now()
      let failure: unknown
      try {
        await job(context, signal)
        failures = 0
        context.health.failingJobs.delete(name)
      } catch (error) {
        failure = error
        failures += 1
        if (failures === FAILURES_OF_A_JOB) context.health.failingJobs.add(name)
        context.warn(`the job ${name} failed; retrying later`, error)
      }
      onRun?.({ job: name, ms: performance.now() - begin, error: failure })
      await pauseFor(pauseMs)
      // Files of an instance that was killed, and failed reads, do not write an event.
      await wakeUp?.wait(PAUSE_MS, signal)
    }
  }

  async function pauseFor(pauseMs: number): Promise<void> {
    // The pause rejects if the signal is aborted.
    await pause(pauseMs, undefined, { signal }).catch(() => {})
  }

  return {
    async close(withinMs) {
      stop.abort()
      const late = new AbortController()
      const limit = pause(withinMs, undefined, { signal: late.signal }).catch(() => {})
      await Promise.race([Promise.all(loops), limit])
      late.abort()
    },
  }
}

// The small jobs.

/** Removes assets that have been in the trash for the configured time, by the database's clock. */
export async function emptyTrash(
  { database, settings }: Context,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await database.removeOldTrash(settings.trashForMs)) > 0);
}

/**
 * Continues the deletion of all assets of an account, if the call was interrupted, or if there are more assets than
 * one call deletes.
 */
export async function continueDeletions({ database }: Context, signal: AbortSignal): Promise<void> {
  for (const account of await database.listTrashAll()) {
    // The actor of the events is that of the call, which is stored.
    const data = database.of(account)
    while (!signal.aborted && (await data.continueTrashAll()) > 0);
  }
}

/**
 * Continues the moves of folders, if the call was interrupted, or if there are more assets than one call moves. Each of
 * them in turn, so that a long one does not delay the others.
 */
export async function continueFolderMoves(
  { database }: Context,
  signal: AbortSignal,
): Promise<void> {
  let unfinished = await database.listUnfinishedFolderMoves()
  while (unfinished.length > 0) {
    const remaining: typeof unfinished = []
    for (const move of unfinished) {
      if (signal.aborted) return
      // The actor of the events is that of the call, which is stored.
      const result = await database.of(move.account).continueFolderMove(move.id)
      if (result?.isDone === false) remaining.push(move)
    }
    unfinished = remaining
  }
}

/**
 * Continues the changes of all matches, a batch of each account in turn, so that neither a long one nor an account with
 * many delays the others. The next run retries those that failed, and looks again for those that another instance is
 * working on.
 */
export async function continueBulkJobs(context: Context, signal: AbortSignal): Promise<void> {
  const { database, storage, warn } = context
  const skipped = new Set<string>()
  const last = new Map<string, string>()
  const failures: unknown[] = []
  for (;;) {
    const running = await database.listRunningBulkJobs()
    const round = nextOfEachAccount(
      running.filter(({ id }) => !skipped.has(id)),
      last,
    )
    if (round.length === 0) break
    for (const { account, id } of round) {
      if (signal.aborted) return
      last.set(account, id)
      try {
        // The actor of the events is that of the call, which is stored.
        const data = database.of(account)
        const progress = await continueBulk({ data, storage, warn }, id)
        if (progress === undefined || progress.isBusy) skipped.add(id)
      } catch (error) {
        skipped.add(id)
        failures.push(error)
      }
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** The job of each account that follows its last one, in the order of their IDs. */
function nextOfEachAccount<Item extends { account: string; id: string }>(
  jobs: Item[],
  last: ReadonlyMap<string, string>,
): Item[] {
  const next = new Map<string, Item>()
  for (const job of jobs) {
    const first = next.get(job.account)
    const isFollowing = ({ account, id }: Item) => id > (last.get(account) ?? '')
    if (first === undefined || (!isFollowing(first) && isFollowing(job))) next.set(job.account, job)
  }
  return [...next.values()]
}

/** Continues the deletions of products with many assets whose call was interrupted, or is still running. */
export async function continueProductDeletions(
  { database }: Context,
  signal: AbortSignal,
): Promise<void> {
  for (const { account, id } of await database.listUnfinishedProductDeletions()) {
    if (signal.aborted) return
    // The actor of the event is that of the call, which is stored.
    await database.of(account).deleteProduct(id)
  }
}

/** Deletes ended changes of all matches that can no longer be undone. */
export async function forgetBulkJobs({ database }: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await database.forgetBulkJobs(BATCH)) > 0);
}

/** How long the rows of cancelled, expired and deleted assets are kept: a repeated call gets the same response. */
const ENDED_ASSETS_KEPT_MS = 7 * 24 * 3_600_000

/** Deletes the rows of assets that ended long ago. */
export async function forgetEndedAssets({ database }: Context, signal: AbortSignal): Promise<void> {
  const now = await database.readClock()
  const before = new Date(now.getTime() - ENDED_ASSETS_KEPT_MS)
  while (!signal.aborted && (await database.forgetEndedAssets(before, BATCH)) === BATCH);
}

/** How long an expired token is kept, so that a repeated completion gets the same response. */
const EXPIRED_TOKENS_KEPT_MS = 24 * 3_600_000

/** Deletes upload tokens that expired long ago and whose uploads have all ended. */
export async function forgetUploadTokens(
  { database }: Context,
  signal: AbortSignal,
): Promise<void> {
  while (
    !signal.aborted &&
    (await database.forgetUploadTokens(EXPIRED_TOKENS_KEPT_MS, BATCH)) === BATCH
  );
}

/** How many days of counts by day, asset and product are kept: three years. */
const COUNTED_DAYS = 3 * 366
const DAY_MS = 24 * 3_600_000

/** Deletes old downloads from the log, and old counts. The counters of the orders stay. */
export async function forgetDownloads(
  { database, settings, clock }: Context,
  signal: AbortSignal,
): Promise<void> {
  while (
    !signal.aborted &&
    (await database.forgetDownloads(settings.downloadsForMs, BATCH)) === BATCH
  );
  const before = Math.floor(clock().getTime() / DAY_MS) - COUNTED_DAYS
  while (!signal.aborted && (await database.forgetDownloadCounts(before, BATCH)) === BATCH);
}

/** How long a call with the same `Idempotency-Key` returns the same result. */
const IDEMPOTENCY_KEYS_KEPT_MS = 24 * 3_600_000

/** Deletes old idempotency keys, and with them the means to derive the secrets of what was created. */
export async function forgetIdempotencyKeys(
  { database }: Context,
  signal: AbortSignal,
): Promise<void> {
  while (
    !signal.aborted &&
    (await database.forgetIdempotencyKeys(IDEMPOTENCY_KEYS_KEPT_MS, BATCH)) === BATCH
  );
}

/** Deletes archives that were requested long ago. */
export async function forgetArchives({ database }: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await database.forgetArchives(BATCH_OF_ARCHIVES)) > 0);
}

/** Fewer, because an archive can have hundreds of rows. */
const BATCH_OF_ARCHIVES = 5

/** How long a revoked key is listed, so that the log and the events can be understood. */
const REVOKED_KEYS_KEPT_MS = 90 * 24 * 3_600_000

/** Deletes keys that were revoked long ago. Their events keep their names. */
export async function forgetRevokedKeys({ database }: Context, signal: AbortSignal): Promise<void> {
  const now = await database.readClock()
  const before = new Date(now.getTime() - REVOKED_KEYS_KEPT_MS)
  while (!signal.aborted && (await database.forgetRevokedKeys(before, BATCH)) === BATCH);
}

function reserveDiskSpace({ database }: Context): Promise<void> {
  return database.reserveDiskSpace()
}

const HOUR_MS = 3_600_000
const DELIVERIES_KEPT_MS = 30 * 24 * HOUR_MS
/** Every retry is due within a day. The margin makes a small correction of the clock harmless. */
const LATEST_RETRY_MS = 25 * HOUR_MS
const MAX_REMOVED_DELIVERIES = 500

/** Removes old deliveries, and those above the limit of their webhook. */
async function forgetDeliveries(context: Context, signal: AbortSignal): Promise<void> {
  const { database } = context
  const now = await database.readClock()
  const before = new Date(now.getTime() - DELIVERIES_KEPT_MS)
  const latest = new Date(now.getTime() + LATEST_RETRY_MS)
  const options = { keep: MAX_KEPT_DELIVERIES, limit: MAX_REMOVED_DELIVERIES, now, latest }
  await repeatWhileFull(() => database.forgetDeliveries(before, MAX_REMOVED_DELIVERIES), signal)
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, BATCH)
    for (const { id } of webhooks) {
      await repeatWhileFull(() => database.trimDeliveries(id, options), signal)
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < BATCH || signal.aborted) return
  }
}

async function repeatWhileFull(remove: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await remove()) === MAX_REMOVED_DELIVERIES);
}

/**
 * Compares this instance’s clock with the database’s, and warns when they start to differ. Uploads expire
 * by the database’s clock, but this instance signs URLs by its own.
 */
export async function watchClock(context: Context): Promise<void> {
  const { database, clock, health, warn } = context
  const before = clock().getTime()
  const theirs = (await database.readClock()).getTime()
  const ours = (before + clock().getTime()) / 2
  const text = skewText(ours - theirs)
  if (text !== undefined && health.clock === undefined) {
    warn(`the clock of this machine is ${text}: set it, or run an NTP service`, undefined)
  }
  health.clock = text
}

/**
 * Warns once when a newer version of Stowage has migrated the database while this instance runs: it continues to work, but
 * does not know what the newer version adds, and cannot start again.
 */
export async function watchSchema({ database, health, warn }: Context): Promise<void> {
  const migration = await database.findNewerMigration()
  if (migration !== undefined && health.newerMigration === undefined) {
    warn(
      `the database was upgraded by a newer version of Stowage (it has migration ${migration}): this instance continues to work, but cannot start again: replace it by that version`,
      undefined,
    )
  }
  health.newerMigration = migration
}
