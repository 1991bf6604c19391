import { closeStoredUpload } from '../close-stored-upload.ts'
import { isLeftOpen, isUploadInUse } from '../domain/upload-in-use.ts'
import { inBatches } from '../iterables/in-batches.ts'
import type { Context } from '../operations/context.ts'
import type { OpenUpload } from '../storage/storage.ts'
import { BATCH } from './job.ts'

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
