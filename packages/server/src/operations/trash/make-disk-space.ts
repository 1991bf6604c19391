import type { AccountContext } from '../context.ts'

/** How long the call waits for the storage to remove files. Afterward, a job removes the others. */
const REMOVAL_TIMEOUT_MS = 5_000

/**
 * Returns the free space of the storage; undefined if the storage has no known limit. If the space is too small, files
 * that are queued for removal are removed first, then the oldest assets in the trash of this account. If all of
 * its trash would not be enough, none of it is removed.
 */
export async function makeDiskSpace(
  context: AccountContext,
  needed: number,
): Promise<number | undefined> {
  const { data, storage } = context
  const { free, withTrash } = await findDiskSpace(context, needed)
  if (free === undefined || free >= needed || withTrash < needed) return free
  for (let missing = needed - free; missing > 0; ) {
    const removed = await data.removeOldestTrash(missing)
    // Other calls have removed or restored the rest of the trash.
    if (removed === 0) break
    missing -= removed
  }
  await removeFiles(context)
  return storage.freeBytes()
}

/**
 * Returns the free space of the storage, and the space without the trash of this account. If the space is too small,
 * files that are queued for removal are removed first. Removes no trash.
 */
export async function findDiskSpace(
  context: AccountContext,
  needed: number,
): Promise<{ free: number | undefined; withTrash: number }> {
  const { data, storage } = context
  const before = await storage.freeBytes()
  if (before === undefined || before >= needed) {
    return { free: before, withTrash: before ?? Number.POSITIVE_INFINITY }
  }
  await removeFiles(context)
  const free = (await storage.freeBytes()) ?? before
  if (free >= needed) return { free, withTrash: free }
  return { free, withTrash: free + (await data.readSummary()).trash }
}

async function removeFiles({ removeObjects, warn }: AccountContext): Promise<void> {
  try {
    await removeObjects(AbortSignal.timeout(REMOVAL_TIMEOUT_MS))
  } catch (error) {
    warn('could not remove files to free space; a job will retry', error)
  }
}
