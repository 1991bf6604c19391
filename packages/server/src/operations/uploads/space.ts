import type { NoFreeRoom, TokenExceeded } from '../../database/account-data.ts'
import type { AccountContext } from '../context.ts'
import { removeObjects } from '../removals.ts'

/** The sizes of a stream of unknown length: `least` bytes are certain, `wanted` bytes are an estimate. */
interface SizeRange {
  least: number
  wanted: number
  chunkSize: number
}

/** If other uploads take the free room meanwhile, the next attempt is made with what is left. */
const MAX_ESTIMATES = 3

/**
 * Reserves as much of the wanted size as fits without removing anything, in whole parts. If that is less than the
 * certain size, reserves the certain size like that of a file. Returns the size of the last attempt and its outcome.
 */
export async function reserveProvisionally<Outcome extends { outcome: string }>(
  { least, wanted, chunkSize }: SizeRange,
  attempt: (size: number, isProvisional: boolean) => Promise<Outcome | NoFreeRoom | TokenExceeded>,
): Promise<{ size: number; result: Outcome | NoFreeRoom | TokenExceeded }> {
  let size = wanted
  for (let count = 0; count < MAX_ESTIMATES && size > least; count += 1) {
    const result = await attempt(size, true)
    const room = roomOf(result)
    if (room === undefined) return { size, result }
    size = wholeParts(Math.min(room, size - 1), chunkSize)
  }
  return { size: least, result: await attempt(least, false) }
}

/** The largest number of bytes up to `bytes` that consists of whole parts. */
export function wholeParts(bytes: number, chunkSize: number): number {
  return Math.max(0, Math.floor(bytes / chunkSize)) * chunkSize
}

/** Undefined if the attempt was successful, or refused for another reason than its size. */
function roomOf(result: { outcome: string }): number | undefined {
  if (isNoFreeRoom(result)) return result.free
  if (!isTokenExceeded(result) || result.remaining.files === 0) return undefined
  return result.remaining.bytes
}

function isNoFreeRoom(result: { outcome: string }): result is NoFreeRoom {
  return result.outcome === 'no_free_room'
}

function isTokenExceeded(result: { outcome: string }): result is TokenExceeded {
  return result.outcome === 'token_exceeded'
}

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
  const { free, freeWithoutTrash } = await findDiskSpace(context, needed)
  if (free === undefined || free >= needed || freeWithoutTrash < needed) return free
  for (let missing = needed - free; missing > 0; ) {
    const removed = await data.removeOldestTrash(missing)
    // Other calls have removed or restored the rest of the trash.
    if (removed === 0) break
    missing -= removed
  }
  await removeFiles(context)
  return storage.freeBytes()
}

export interface DiskSpace {
  /** Undefined if the storage has no known limit. */
  free: number | undefined
  /** What would be free without the trash of this account. */
  freeWithoutTrash: number
}

/**
 * Returns the free space of the storage. If it is too small, files that are queued for removal are removed first. Removes
 * no trash.
 */
export async function findDiskSpace(context: AccountContext, needed: number): Promise<DiskSpace> {
  const { data, storage } = context
  const before = await storage.freeBytes(needed)
  if (before === undefined || before >= needed) {
    return { free: before, freeWithoutTrash: before ?? Number.POSITIVE_INFINITY }
  }
  await removeFiles(context)
  const free = (await storage.freeBytes()) ?? before
  if (free >= needed) return { free, freeWithoutTrash: free }
  return { free, freeWithoutTrash: free + (await data.readSummary()).trash }
}

async function removeFiles(context: AccountContext): Promise<void> {
  try {
    await removeObjects(context, AbortSignal.timeout(REMOVAL_TIMEOUT_MS))
  } catch (error) {
    context.warn('could not remove files to free space; a job will retry', error)
  }
}
