import { isUploadInUse } from '../domain/upload-in-use.ts'
import { inBatches } from '../iterables/in-batches.ts'
import type { Context } from '../operations/context.ts'
import type { OpenUpload } from '../storage/storage.ts'
import { BATCH } from './job.ts'

/** How long beyond its addresses' life an upload without a row is left alone. */
const ORPHANED_MS = 24 * 3_600_000

/**
 * Removes uploads that the storage holds though their asset has ended. Where there is no row at all
 * only old ones go: after a database was restored from a copy, the young ones are those since.
 */
export async function removeOrphanedUploads(context: Context, signal: AbortSignal): Promise<void> {
  for await (const batch of inBatches(context.storage.listUploads(), BATCH)) {
    if (signal.aborted) return
    await removeOrphansOf(context, batch, signal)
  }
}

async function removeOrphansOf(
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
      // After a database was restored from a copy, the object may be all that is left of a file.
      if (state === undefined && (await storage.findObject(upload.key))) continue
      await storage.abortUpload(upload)
    } catch (error) {
      // It is retried in the next run, and keeps no other from being removed.
      warn(`the orphaned upload of ${upload.key} could not be removed`, error)
    }
  }
}
