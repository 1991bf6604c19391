import type { Removal } from '../database/database.ts'
import type { Context } from '../operations/context.ts'

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 3_600_000

/**
 * Has the storage remove what the database gave up. Never fails: what does not succeed now is tried
 * again later, with growing pauses, until the storage confirms it.
 */
export async function carryOutRemoval(context: Context, removal: Removal): Promise<void> {
  const { database, storage, clock } = context
  try {
    if (removal.kind === 'upload') {
      await storage.abortUpload({ id: removal.storageId, key: removal.key })
    } else {
      await storage.removeObject(removal.key)
    }
    await database.finishRemoval(removal.id)
  } catch (error) {
    context.warn(`the ${removal.kind} ${removal.key} could not be removed yet`, error)
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** removal.attempts, LONGEST_PAUSE_MS)
    const dueAt = new Date(clock().getTime() + pauseMs)
    await database.postponeRemoval(removal.id, dueAt).catch((failure: unknown) => {
      context.warn('the removal stays due', failure)
    })
  }
}
