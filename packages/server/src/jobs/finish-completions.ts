import type { Upload } from '../domain/asset.ts'
import { jobActor } from '../domain/event.ts'
import { forEachLimited } from '../iterables/for-each-limited.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { finishInStorage } from '../operations/uploads/finish-in-storage.ts'
import { removeParts } from '../operations/uploads/remove-parts.ts'

/** A completion normally takes well under a second; one this old was interrupted. */
export const STUCK_MS = 30_000
const MAX_CONCURRENT_COMPLETIONS = 4
const ACTOR = jobActor('finish_completions')

/**
 * Finishes completions that a crash or an outage interrupted at least `stuckMs` ago. An overdue upload whose
 * completion still fails expires.
 */
export async function finishCompletions(
  context: Context,
  signal: AbortSignal,
  stuckMs = STUCK_MS,
): Promise<void> {
  const limits = { limit: MAX_CONCURRENT_COMPLETIONS, signal }
  await forEachLimited(stuckCompletions(context, stuckMs), limits, async (upload) => {
    const { id, accountId } = upload.asset
    const account = forAccount(context, accountId, ACTOR)
    try {
      const finished = await finishInStorage(account, upload, [])
      if (finished.outcome === 'rejected') {
        context.warn(`the storage refused to complete the upload of ${id}`, finished.reason)
      }
    } catch (error) {
      // It is retried later and does not delay others.
      context.warn(`could not complete the upload of ${id}; retrying later`, error)
      await abandon(account, upload)
    }
  })
}

/**
 * Expires the completion if it is overdue. Unless the storage confirms that there is no complete object, the
 * completion is kept until the URLs of its parts have expired, too, as in `expireUploads`.
 */
async function abandon(context: AccountContext, upload: Upload): Promise<void> {
  const { asset, key } = upload
  const { data, storage, settings } = context
  let graceMs = settings.signedForMs
  try {
    const object = await storage.findObject(key)
    if (object?.size !== asset.bytes) graceMs = 0
  } catch (error) {
    context.warn(`could not check whether ${asset.id} is stored`, error)
  }
  if (await data.abandonCompletion(asset.id, graceMs)) await removeParts(context, upload)
}

/**
 * Claims each completion once: if it fails, it is due again only after a pause. It claims few at a time,
 * because other instances cannot claim them, even if this instance ends before it processes them.
 */
async function* stuckCompletions(context: Context, stuckMs: number): AsyncIterable<Upload> {
  const { database } = context
  for (;;) {
    const now = await database.readClock()
    const before = new Date(now.getTime() - stuckMs)
    const stuck = await database.claimStuckCompletions({ before, now }, MAX_CONCURRENT_COMPLETIONS)
    yield* stuck
    if (stuck.length < MAX_CONCURRENT_COMPLETIONS) return
  }
}
