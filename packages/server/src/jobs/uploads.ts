import { isLeftOpen, isUploadInUse, type Upload } from '../domain/asset.ts'
import { jobActor } from '../domain/event.ts'
import { forEachLimited } from '../iterables/concurrency.ts'
import { inBatches } from '../iterables/sequences.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { finishIfStored, finishInStorage } from '../operations/uploads/complete.ts'
import {
  closeStoredUpload,
  removeParts,
  storageUploadOf,
} from '../operations/uploads/in-storage.ts'
import type { OpenUpload } from '../storage/storage.ts'
import { BATCH } from './job.ts'

const EXPIRY_ACTOR = jobActor('expire_uploads')
const MAX_CONCURRENT_CHECKS = 8
/** Allows for clock differences and changed settings. */
const EXPIRY_MARGIN_MS = 24 * 3_600_000

/**
 * Expires overdue uploads. It checks the storage first: a recently received part extends the expiry, and an upload
 * whose object is stored becomes ready.
 */
export async function expireUploads(context: Context, signal: AbortSignal): Promise<void> {
  const { database, settings } = context
  await database.limitExpiry(settings.uploadsKeptForMs + EXPIRY_MARGIN_MS)
  for (;;) {
    const overdue = await database.listOverdueUploads(BATCH)
    const now = await database.readClock()
    const expired: Upload[] = []
    let isStuck = false
    await forEachLimited(overdue, { limit: MAX_CONCURRENT_CHECKS, signal }, async (upload) => {
      const state = await checkUpload(context, upload, now)
      if (state === 'expired') expired.push(upload)
      if (state === 'unknown') isStuck = true
    })
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
  const account = forAccount(context, upload.asset.accountId, EXPIRY_ACTOR)
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
  await forEachLimited(ended, { limit: MAX_CONCURRENT_CHECKS, signal }, (upload) =>
    removeParts(forAccount(context, upload.asset.accountId, EXPIRY_ACTOR), upload),
  )
}

/** A completion normally takes well under a second; one this old was interrupted. */
export const STUCK_MS = 30_000
const MAX_CONCURRENT_COMPLETIONS = 4
const COMPLETION_ACTOR = jobActor('finish_completions')

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
    const account = forAccount(context, accountId, COMPLETION_ACTOR)
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

/** How long an upload without a row is kept after its URLs have expired. */
const ORPHANED_MS = 24 * 3_600_000

/**
 * Removes the uploads of ended assets from the storage, and closes uploads that are still open although their object is
 * stored. A recent upload without any row is kept: a running move may have started it, or it is newer than the backup
 * that the database was restored from.
 */
export async function removeOrphanedUploads(context: Context, signal: AbortSignal): Promise<void> {
  for await (const batch of inBatches(context.storage.listUploads(), BATCH)) {
    if (signal.aborted) return
    await removeOrphans(context, batch, signal)
  }
}

async function removeOrphans(
  context: Context,
  uploads: OpenUpload[],
  signal: AbortSignal,
): Promise<void> {
  const { database, storage, settings, warn } = context
  const now = await database.readClock()
  const old = new Date(now.getTime() - settings.signedForMs - ORPHANED_MS)
  const states = await database.readStates(uploads.map(({ key }) => key))
  for (const { openedAt, ...upload } of uploads) {
    if (signal.aborted) return
    const state = states.get(upload.key)
    const isOpen = state !== undefined && isLeftOpen(state, upload.id)
    const isKept = state === undefined ? openedAt > old : isUploadInUse(state, upload.id)
    if (isKept && !isOpen) continue
    try {
      // After the database is restored from a backup, the object may be the only copy of a file.
      const isStored = isOpen || (state === undefined && (await storage.findObject(upload.key)))
      if (isStored) await closeStoredUpload(context, upload)
      else await storage.abortUpload(upload)
    } catch (error) {
      // It is retried in the next run and does not block others.
      warn(`could not remove the open upload of ${upload.key}; retrying later`, error)
    }
  }
}
