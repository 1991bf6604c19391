import type { Context } from '../operations/context.ts'
import { scrubOptions, verifyObjects } from './verify-objects.ts'

/**
 * Reads files that an older version of Stowage stored without checksums, or that a move copied. Reads every file
 * again once in `scrubEveryMs`, to detect damage on the disk.
 */
export async function scrubFiles(context: Context, signal: AbortSignal): Promise<void> {
  const { checksums, scrubEveryMs } = context.settings
  if (!checksums) return
  await verifyObjects(context, signal, scrubOptions(context, 'backlog'))
  if (scrubEveryMs > 0) await verifyObjects(context, signal, scrubOptions(context, 'scrub'))
}
