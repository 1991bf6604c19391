import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

/** Ends uploads whose addresses ran out. */
export async function expireUploads(
  { database, clock }: Context,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await database.expireUploads(clock(), BATCH)) === BATCH);
}
