import type { Upload } from '../domain/asset.ts'
import { forEachLimited } from '../iterables/for-each-limited.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { finishInStorage } from '../operations/uploads/finish-in-storage.ts'

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
      await abandon(account, upload)
    }
  })
}

/**
 * Ends it if its time is up. Where the storage can't tell that there is no object, it is kept for as
 * long as URLs of parts are valid, like an upload.
 */
async function abandon(context: AccountContext, { asset }: Upload): Promise<void> {
  const { data, storage, settings } = context
  let graceMs = settings.signedForMs
  try {
    const object = await storage.findObject(asset.id)
    if (object?.size !== asset.bytes) graceMs = 0
  } catch (error) {
    context.warn(`whether ${asset.id} is stored is not known yet`, error)
  }
  await data.abandonCompletion(asset.id, graceMs)
}

/**
 * Each is taken once: one that fails is due again only after a pause. So few at a time, because nobody
 * else is given what was taken, also if this instance ends before their turn.
 */
async function* stuckCompletions(context: Context, stuckMs: number): AsyncIterable<Upload> {
  const { database } = context
  for (;;) {
    const now = await database.readClock()
    const before = new Date(now.getTime() - stuckMs)
    const stuck = await database.claimStuckCompletions({ before, now }, COMPLETIONS_AT_ONCE)
    yield* stuck
    if (stuck.length < COMPLETIONS_AT_ONCE) return
  }
}
