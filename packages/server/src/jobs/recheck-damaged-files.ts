import type { Context } from '../operations/context.ts'
import { scrubOptions, verifyObjects } from './verify-objects.ts'

/**
 * Reads damaged files again when they are due, so that they can be downloaded as soon as their bytes are right again.
 * It is a job of its own, because the scrub may take weeks or may be disabled.
 */
export async function recheckDamagedFiles(context: Context, signal: AbortSignal): Promise<void> {
  await verifyObjects(context, signal, scrubOptions(context, 'damaged'))
}
