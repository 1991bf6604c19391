import { isUploadInUse } from '../domain/upload-in-use.ts'
import { inBatches } from '../iterables/in-batches.ts'
import type { Context } from '../operations/context.ts'
import type { OpenUpload } from '../storage/storage.ts'
import { BATCH } from './job.ts'

/** How long an upload without a row is kept after its URLs have expired. */
const ORPHANED_MS = 24 * 3_600_000

/**
 * Removes uploads from the storage whose asset has ended. If there is no row at all, it removes only old
 * uploads: after the database is restored from a backup, recent uploads may have no row yet.
 */
export async function removeOrphanedUploads(context: Context, signal: AbortSignal): Promise<void> {
  for await (const batch of inBatches(context.storage.listUploads(), BATCH)) {
    if (signal.aborted) return
    await removeOrphans(context, batch, signal)
  }
}

async function removeOrphans(
  { database, storage, settings, warn }: Context,
  uploads: OpenUpload[],
  signal: AbortSignal,
): Promise<void> {
  const now = await database.readClock()
  const old = new Date(now.getTime() - settings.signedForMs - ORPHANED_MS)
  const states = await database.readStates(uploads.map(({ key }) => key))
  for (const { openedAt, ...upload } of uploads) {
    if (signal.aborted) return
    const state = states.get(upload.key)
    if (state === undefined ? openedAt > old : isUploadInUse(state, upload.id)) continue
    try {
      // After the database is restored from a backup, the object may be the only copy of a file.
      if (state === undefined && (await storage.findObject(upload.key))) continue
      await storage.abortUpload(upload)
    } catch (error) {
      // It is retried in the next run and does not block others.
      warn(`could not remove the orphaned upload of ${upload.key}; retrying later`, error)
    }
  }
}
