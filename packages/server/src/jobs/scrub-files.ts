import type { Context } from '../operations/context.ts'
import { verifyObjects } from './verify-objects.ts'

/** At 20 MB/s, 50 TB are read in a month. */
const RATES = { idle: 20e6, busy: 4e6 }

/**
 * Reads files that were stored before checksums were computed, and reads every file again once in
 * `scrubEveryMs`, to detect damage on the disk.
 */
export async function scrubFiles(context: Context, signal: AbortSignal): Promise<void> {
  const { checksums, scrubEveryMs } = context.settings
  if (!checksums) return
  const options = { limit: 1, rates: RATES }
  await verifyObjects(context, signal, { ...options, queue: 'backlog' })
  if (scrubEveryMs > 0) await verifyObjects(context, signal, { ...options, queue: 'scrub' })
}
