import { finishInStorage } from '../operations/complete-upload.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { carryOutRemoval } from './carry-out-removal.ts'

/** How many rows a job takes at once, so that requests get their turn between. */
const BATCH = 100
/** A completion normally takes well under a second; one this old was left behind by a crash. */
const STUCK_MS = 30_000
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
  for (;;) {
    // Whatever comes of it, an upload does not stay in this state, so each round has other rows.
    const stuck = await database.listStuckCompletions(before, BATCH)
    for (const upload of stuck) {
      await finishInStorage(forAccount(context, upload.asset.accountId), upload, [])
    }
    if (stuck.length < BATCH) return
  }
}

/** Removes uploads that the storage holds and no row speaks of. */
export async function removeOrphanedUploads({ database, storage }: Context): Promise<void> {
  // The row is always written first, so what has none now never gets one.
  const uploads = await Array.fromAsync(storage.listUploads())
  for (let start = 0; start < uploads.length; start += BATCH) {
    const some = uploads.slice(start, start + BATCH)
    const unfinished = await database.filterUnfinished(some.map(({ key }) => key))
    for (const upload of some) {
      if (!unfinished.has(upload.key)) await storage.abortUpload(upload)
    }
  }
}

export async function forgetEndedAssets({ database, clock }: Context): Promise<void> {
  const before = new Date(clock().getTime() - REMEMBERED_MS)
  while ((await database.forgetEndedAssets(before, BATCH)) === BATCH);
}

/** Every job once. One that fails does not keep the others from running. */
export async function runJobs(context: Context, options: { stuckMs?: number } = {}): Promise<void> {
  const jobs = {
    expireUploads,
    carryOutRemovals,
    finishCompletions: (all: Context) => finishCompletions(all, options.stuckMs),
    removeOrphanedUploads,
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
