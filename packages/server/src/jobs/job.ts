import type { Context } from '../operations/context.ts'

/** How many rows a job reads at once, so that requests get their turn in between. */
export const BATCH = 100

/**
 * Works until nothing is due. Once the signal is aborted it begins no further item, and resolves as
 * soon as the items that it has begun are done.
 */
export type Job = (context: Context, signal: AbortSignal) => Promise<void>
