import type { Upload } from '../domain/asset.ts'
import { forEachLimited } from '../iterables/for-each-limited.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { finishIfStored } from '../operations/uploads/finish-if-stored.ts'
import { storageUploadOf } from '../operations/uploads/storage-upload-of.ts'
import { BATCH } from './job.ts'

const LOOKS_AT_ONCE = 8
/** Clocks differ a little, and settings change. */
const MARGIN_MS = 24 * 3_600_000

/**
 * Ends uploads that were kept for long enough. The storage is asked first: a part that it received
 * since keeps an upload for longer, and one whose object it has becomes ready.
 */
export async function expireUploads(context: Context, signal: AbortSignal): Promise<void> {
  const { database, settings } = context
  await database.limitExpiry(settings.uploadsKeptForMs + MARGIN_MS)
  for (;;) {
    const overdue = await database.listOverdueUploads(BATCH)
    const now = await database.readClock()
    const ended: string[] = []
    let isStuck = false
    await forEachLimited(each(overdue), { limit: LOOKS_AT_ONCE, signal }, async (upload) => {
      const verdict = await look(context, upload, now)
      if (verdict === 'ended') ended.push(upload.asset.id)
      if (verdict === 'unknown') isStuck = true
    })
    if (ended.length > 0) await database.expireUploads(ended)
    // What could not be looked at is still first in the list: it waits for the next run.
    if (overdue.length < BATCH || isStuck || signal.aborted) return
  }
}

async function look(
  context: Context,
  upload: Upload,
  now: Date,
): Promise<'ended' | 'kept' | 'unknown'> {
  const { storage, settings } = context
  const account = forAccount(context, upload.asset.accountId)
  try {
    const parts = await storage.listParts(storageUploadOf(upload))
    const newest = Math.max(...(parts ?? []).map(({ receivedAt }) => receivedAt.getTime()))
    const leftMs = newest + settings.uploadsKeptForMs - now.getTime()
    if (leftMs <= 0) return (await finishIfStored(account, upload)) ? 'kept' : 'ended'
    await account.data.renewUpload(upload.asset.id, Math.min(leftMs, settings.uploadsKeptForMs))
    return 'kept'
  } catch (error) {
    // No part can have come later than the URLs ended, so waiting has an end.
    if (upload.expiresAt.getTime() + settings.signedForMs < now.getTime()) return 'ended'
    context.warn(`whether the upload of ${upload.asset.id} expired is not known yet`, error)
    return 'unknown'
  }
}

async function* each<Item>(items: Item[]): AsyncIterable<Item> {
  yield* items
}
