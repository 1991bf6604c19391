import { finishInStorage } from '../operations/complete-upload.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { forEachLimited } from './for-each-limited.ts'
import { BATCH } from './job.ts'

/** A completion normally takes well under a second; one this old was interrupted. */
export const STUCK_MS = 30_000
const COMPLETIONS_AT_ONCE = 4

/** Finishes completions that a crash or an outage interrupted at least `stuckMs` ago. */
export async function finishCompletions(
  context: Context,
  signal: AbortSignal,
  stuckMs = STUCK_MS,
): Promise<void> {
  const { database, clock } = context
  const before = new Date(clock().getTime() - stuckMs)
  const stuck = await database.listStuckCompletions(before, BATCH)
  const limits = { limit: COMPLETIONS_AT_ONCE, signal }
  await forEachLimited(each(stuck), limits, async (upload) => {
    try {
      await finishInStorage(forAccount(context, upload.asset.accountId), upload, [])
    } catch (error) {
      // It is retried in the next round, and delays no other.
      context.warn(`the upload of ${upload.asset.id} could not be completed yet`, error)
    }
  })
}

async function* each<Item>(items: Item[]): AsyncIterable<Item> {
  yield* items
}
