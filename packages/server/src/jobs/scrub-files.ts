import type { Context } from '../operations/context.ts'
import { SCRUB_RATES, verifyObjects } from './verify-objects.ts'

/**
 * Reads files that an older version of Stowage stored without checksums, or that a move copied. Reads every file
 * again once in `scrubEveryMs`, to detect damage on the disk.
 */
export async function scrubFiles(context: Context, signal: AbortSignal): Promise<void> {
  const { checksums, scrubEveryMs } = context.settings
  if (!checksums) return
  const options = { limit: 1, rates: SCRUB_RATES }
  await verifyObjects(context, signal, { ...options, queue: 'backlog' })
  if (scrubEveryMs > 0) await verifyObjects(context, signal, { ...options, queue: 'scrub' })
}
