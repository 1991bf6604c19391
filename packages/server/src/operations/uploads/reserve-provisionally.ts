import type { NoFreeRoom, TokenExceeded } from '../../database/reservation.ts'

/** The sizes of a stream of unknown length: `least` bytes are certain, `wanted` bytes are an estimate. */
export interface SizeRange {
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
