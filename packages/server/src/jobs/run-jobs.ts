import { finishInStorage } from '../operations/complete-upload.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { carryOutRemoval } from './carry-out-removal.ts'

/** How many rows a job takes at once, so that requests get their turn between. */
const BATCH = 100
/** A completion normally takes well under a second; one this old was left behind by a crash. */
const STUCK_MS = 30_000
/** How long beyond its addresses' life an upload without a row is left alone. */
const ORPHANED_MS = 24 * 3_600_000
/** How long a cancelled or expired upload can still be asked about. */
const REMEMBERED_MS = 7 * 24 * 3_600_000

/** Ends uploads whose addresses ran out. */
export async function expireUploads({ database, clock }: Context): Promise<void> {
  while ((await database.expireUploads(clock(), BATCH)) === BATCH);
}

/** Has the storage let go of what was cancelled, expired or deleted. */
export async function carryOutRemovals(context: Context): Promise<void> {
  const { database, clock } = context
  for (;;) {
    const due = await database.takeDueRemovals(clock(), BATCH)
    for (const removal of due) await carryOutRemoval(context, removal)
    // What failed is not due any more, so each round has other rows.
    if (due.length < BATCH) return
  }
}

/** Carries on completions that a crash or an outage interrupted. */
export async function finishCompletions(context: Context, stuckMs = STUCK_MS): Promise<void> {
  const { database, clock } = context
  const before = new Date(clock().getTime() - stuckMs)
  for (const upload of await database.listStuckCompletions(before, BATCH)) {
    try {
      await finishInStorage(forAccount(context, upload.asset.accountId), upload, [])
    } catch (error) {
      // It is tried again in the next round, and holds up no other.
      context.warn(`the upload of ${upload.asset.id} could not be completed yet`, error)
    }
  }
}

/**
 * Removes uploads that the storage holds though their asset has ended. Where there is no row at all
 * only old ones go: after a database was restored from a copy, the young ones are those since.
 */
export async function removeOrphanedUploads(context: Context): Promise<void> {
  const { database, storage, clock, settings } = context
  const old = new Date(clock().getTime() - settings.signedForMs - ORPHANED_MS)
  const uploads = await Array.fromAsync(storage.listUploads())
  for (let start = 0; start < uploads.length; start += BATCH) {
    const some = uploads.slice(start, start + BATCH)
    const statuses = await database.readStatuses(some.map(({ key }) => key))
    for (const { openedAt, ...upload } of some) {
      const status = statuses.get(upload.key)
      const isWanted = status === 'uploading' || status === 'completing'
      const isYoungStranger = status === undefined && openedAt > old
      if (!isWanted && !isYoungStranger) await storage.abortUpload(upload)
    }
  }
}

export async function forgetEndedAssets({ database, clock }: Context): Promise<void> {
  const before = new Date(clock().getTime() - REMEMBERED_MS)
  while ((await database.forgetEndedAssets(before, BATCH)) === BATCH);
}

export interface Round {
  /** How old a completion must be to count as left behind. */
  stuckMs?: number
  /** Whether orphans are looked for: stores take money for listing. */
  withOrphans?: boolean
}

/** Every job once. One that fails does not keep the others from running. */
export async function runJobs(context: Context, round: Round = {}): Promise<void> {
  const { stuckMs, withOrphans = true } = round
  const jobs = {
    expireUploads,
    carryOutRemovals,
    finishCompletions: (all: Context) => finishCompletions(all, stuckMs),
    ...(withOrphans && { removeOrphanedUploads }),
    forgetEndedAssets,
  }
  for (const [name, job] of Object.entries(jobs)) {
    try {
      await job(context)
    } catch (error) {
      context.warn(`the job ${name} failed and is tried again`, error)
    }
  }
}
