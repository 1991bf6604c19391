import type { Removal } from '../database/database.ts'
import { forEachLimited } from '../iterables/for-each-limited.ts'
import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

/** Fewer than the database has connections by default, so that requests always find one. */
const REMOVALS_AT_ONCE = 8
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 3_600_000

/** Removes from the storage what was cancelled, expired or deleted. */
export async function removeObjects(context: Context, signal: AbortSignal): Promise<void> {
  const limits = { limit: REMOVALS_AT_ONCE, signal }
  await forEachLimited(dueRemovals(context), limits, (removal) => remove(context, removal))
}

async function* dueRemovals({ database }: Context): AsyncIterable<Removal> {
  for (;;) {
    const due = await database.claimDueRemovals(await database.readClock(), BATCH)
    yield* due
    // What failed is postponed, so each batch has other rows.
    if (due.length < BATCH) return
  }
}

/**
 * Never fails: what does not succeed now is retried later, with growing pauses, until the storage
 * confirms it.
 */
async function remove(context: Context, removal: Removal): Promise<void> {
  const { database, storage } = context
  try {
    // In this order: once the upload is gone, no completion can make an object of it any more.
    if (removal.kind === 'upload') {
      await storage.abortUpload({ id: removal.storageId, key: removal.key })
    }
    await storage.removeObject(removal.key)
    await database.finishRemoval(removal.id)
  } catch (error) {
    context.warn(`the ${removal.kind} ${removal.key} could not be removed yet`, error)
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** removal.attempts, LONGEST_PAUSE_MS)
    await postpone(context, removal, pauseMs).catch((failure: unknown) => {
      context.warn('the removal stays due', failure)
    })
  }
}

async function postpone({ database }: Context, { id }: Removal, pauseMs: number): Promise<void> {
  const now = await database.readClock()
  await database.postponeRemoval(id, new Date(now.getTime() + pauseMs))
}
