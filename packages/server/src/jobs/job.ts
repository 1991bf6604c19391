import type { Context } from '../operations/context.ts'

/** How many rows a job reads at a time, so that requests run in between. */
export const BATCH = 100

/**
 * Runs until nothing is due. After the signal is aborted it starts no further item, and resolves when the
 * started items are done.
 */
export type Job = (context: Context, signal: AbortSignal) => Promise<void>
