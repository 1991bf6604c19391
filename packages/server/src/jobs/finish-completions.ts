import type { Upload } from '../domain/asset.ts'
import { finishInStorage } from '../operations/complete-upload.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { forEachLimited } from './for-each-limited.ts'
import { BATCH } from './job.ts'

/** A completion normally takes well under a second; one this old was interrupted. */
export const STUCK_MS = 30_000
const COMPLETIONS_AT_ONCE = 4

/**
 * Finishes completions that a crash or an outage interrupted at least `stuckMs` ago. Those that still
 * fail when their upload's time is up expire.
 */
export async function finishCompletions(
  context: Context,
  signal: AbortSignal,
  stuckMs = STUCK_MS,
): Promise<void> {
  const limits = { limit: COMPLETIONS_AT_ONCE, signal }
  await forEachLimited(stuckCompletions(context, stuckMs), limits, async (upload) => {
    const { id, accountId } = upload.asset
    const account = forAccount(context, accountId)
    try {
      const finished = await finishInStorage(account, upload, [])
      if (finished.outcome === 'rejected') {
        context.warn(`the storage refuses to complete the upload of ${id}`, finished.reason)
      }
    } catch (error) {
      // It is retried later, and delays no other.
      context.warn(`the upload of ${id} could not be completed yet`, error)
      await account.data.abandonCompletion(id, context.clock())
    }
  })
}

/** Each is taken once: one that fails is due again only after a pause. */
async function* stuckCompletions(context: Context, stuckMs: number): AsyncIterable<Upload> {
  const { database, clock } = context
  for (;;) {
    const now = clock()
    const before = new Date(now.getTime() - stuckMs)
    const stuck = await database.takeStuckCompletions({ before, now }, BATCH)
    yield* stuck
    if (stuck.length < BATCH) return
  }
}
