import type { Context } from '../operations/context.ts'
import { verifyObjects } from './verify-objects.ts'

/** More than one, because a large object must not delay all others. */
const MAX_CONCURRENT = 2
const RATES = { idle: 400e6, busy: 32e6 }

/** Computes the SHA-256 of files whose upload was just completed, and compares it with the declared one. */
export async function computeChecksums(context: Context, signal: AbortSignal): Promise<void> {
  if (!context.settings.checksums) return
  await verifyObjects(context, signal, { queue: 'new', limit: MAX_CONCURRENT, rates: RATES })
}
