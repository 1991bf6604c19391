import type { Removal } from '../database/database.ts'
import { forEachLimited } from '../iterables/concurrency.ts'
import type { AccountContext } from './context.ts'

/** How many removals are claimed at a time. */
const BATCH = 100
/** Fewer than the default number of database connections, so that requests always get one. */
const MAX_CONCURRENT_REMOVALS = 8
const FIRST_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 3_600_000

/** The context of a job or of a call. */
type RemovalContext = Pick<AccountContext, 'database' | 'storage' | 'warn'>

/**
 * Removes the objects and parts that are queued for removal from the storage: those of cancelled, expired and deleted
 * assets, and of removed versions. A job does this for all accounts; a call that needs space does not wait for the job.
 */
export async function removeObjects(context: RemovalContext, signal: AbortSignal): Promise<void> {
  const limits = { limit: MAX_CONCURRENT_REMOVALS, signal }
  await forEachLimited(dueRemovals(context), limits, (removal) => remove(context, removal))
}

async function* dueRemovals({ database }: RemovalContext): AsyncIterable<Removal> {
  for (;;) {
    const due = await database.claimDueRemovals(await database.readClock(), BATCH)
    yield* due
    // Failed removals are postponed, so each batch has different rows.
    if (due.length < BATCH) return
  }
}

/** Never throws: a failed removal is retried with increasing pauses until the storage confirms it. */
async function remove(context: RemovalContext, removal: Removal): Promise<void> {
  const { database, storage } = context
  try {
    // In this order: after the upload is removed, no completion can create an object from it.
    if (removal.kind === 'upload') {
      await storage.abortUpload({ id: removal.storageId, key: removal.key })
    }
    await storage.removeObject(removal.key)
    await database.finishRemoval(removal.id)
  } catch (error) {
    context.warn(`could not remove the ${removal.kind} ${removal.key}; retrying later`, error)
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** removal.attempts, MAX_PAUSE_MS)
    await postpone(context, removal, pauseMs).catch((failure: unknown) => {
      context.warn('could not postpone the removal; it stays due', failure)
    })
  }
}

async function postpone(
  { database }: RemovalContext,
  { id }: Removal,
  pauseMs: number,
): Promise<void> {
  const now = await database.readClock()
  await database.postponeRemoval(id, new Date(now.getTime() + pauseMs))
}
