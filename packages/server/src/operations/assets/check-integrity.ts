import { setTimeout as pause } from 'node:timers/promises'
import type { Integrity } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

/** How long a download waits for the comparison with the declared digest. Small files take much less. */
const WAIT_MS = 3_000
const POLL_MS = 50

/** When a download that starts now stops waiting. */
export function verificationDeadline(waitMs = WAIT_MS): number {
  return performance.now() + waitMs
}

/**
 * Whether downloads do not get these bytes, because no read has found the declared digest yet. If checksums are
 * disabled, only bytes that are known to be wrong are withheld: nothing would ever read the others.
 */
export function isWithheld(
  { settings }: AccountContext,
  { isWithheld, isDamaged }: Integrity,
): boolean {
  return isWithheld && (settings.checksums || isDamaged)
}

/**
 * Refuses damaged bytes. Returns false if the bytes were not yet compared with the declared digest: then it has
 * waited a little, and the caller reads the state again. Refuses after the deadline.
 */
export async function checkIntegrity(
  context: AccountContext,
  integrity: Integrity,
  deadline: number,
): Promise<boolean> {
  if (integrity.isDamaged) {
    throw new ServiceError(
      'damaged',
      'The stored file is damaged: it has changed since the upload, cannot be read, or does not match the declared SHA-256. Replace the file, or restore another version.',
    )
  }
  if (!isWithheld(context, integrity)) return true
  if (performance.now() >= deadline) {
    throw new ServiceError(
      'verifying',
      'The stored file is being compared with its declared SHA-256. Retry the download in a few seconds.',
    )
  }
  await pause(POLL_MS)
  return false
}
