import type { Upload } from '../domain/asset.ts'
import { jobActor } from '../domain/event.ts'
import { forEachLimited } from '../iterables/for-each-limited.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { finishIfStored } from '../operations/uploads/finish-if-stored.ts'
import { removeParts } from '../operations/uploads/remove-parts.ts'
import { storageUploadOf } from '../operations/uploads/storage-upload-of.ts'
import { BATCH } from './job.ts'

const ACTOR = jobActor('expire_uploads')
const MAX_CONCURRENT_CHECKS = 8
/** Allows for clock differences and changed settings. */
const MARGIN_MS = 24 * 3_600_000

/**
 * Expires overdue uploads. It checks the storage first: a recently received part extends the expiry, and an upload
 * whose object is stored becomes ready.
 */
export async function expireUploads(context: Context, signal: AbortSignal): Promise<void> {
  const { database, settings } = context
  await database.limitExpiry(settings.uploadsKeptForMs + MARGIN_MS)
  for (;;) {
    const overdue = await database.listOverdueUploads(BATCH)
    const now = await database.readClock()
    const expired: Upload[] = []
    let isStuck = false
    await forEachLimited(
      each(overdue),
      { limit: MAX_CONCURRENT_CHECKS, signal },
      async (upload) => {
        const state = await checkUpload(context, upload, now)
        if (state === 'expired') expired.push(upload)
        if (state === 'unknown') isStuck = true
      },
    )
    if (expired.length > 0) await expire(context, expired, signal)
    // Uploads that could not be checked are still first in the list, so wait for the next run.
    if (overdue.length < BATCH || isStuck || signal.aborted) return
  }
}

async function checkUpload(
  context: Context,
  upload: Upload,
  now: Date,
): Promise<'expired' | 'kept' | 'unknown'> {
  const { storage, settings } = context
  const account = forAccount(context, upload.asset.accountId, ACTOR)
  try {
    const parts = await storage.listParts(storageUploadOf(upload))
    const newest = Math.max(...(parts ?? []).map(({ receivedAt }) => receivedAt.getTime()))
    const remainingMs = newest + settings.uploadsKeptForMs - now.getTime()
    if (remainingMs > 0) {
      const keptForMs = Math.min(remainingMs, settings.uploadsKeptForMs)
      const keptUntil = await account.data.renewUpload(upload.asset.id, keptForMs)
      // An upload whose token has expired is not extended.
      if (keptUntil === undefined || keptUntil > upload.expiresAt) return 'kept'
    }
    return (await finishIfStored(account, upload)) ? 'kept' : 'expired'
  } catch (error) {
    // No part can arrive after the URLs have expired, so stop waiting for the storage then.
    if (upload.expiresAt.getTime() + settings.signedForMs < now.getTime()) return 'expired'
    context.warn(`could not check whether the upload of ${upload.asset.id} expired`, error)
    return 'unknown'
  }
}

/**
 * The parts are removed immediately, not only by the job for removals: their bytes are released, so that the transfers of
 * the upload must not use the disk any longer.
 */
async function expire(context: Context, uploads: Upload[], signal: AbortSignal): Promise<void> {
  const ids = new Set(await context.database.expireUploads(uploads.map(({ asset }) => asset.id)))
  const ended = uploads.filter(({ asset }) => ids.has(asset.id))
  await forEachLimited(each(ended), { limit: MAX_CONCURRENT_CHECKS, signal }, (upload) =>
    removeParts(forAccount(context, upload.asset.accountId, ACTOR), upload),
  )
}

async function* each<Item>(items: Item[]): AsyncIterable<Item> {
  yield* items
}
