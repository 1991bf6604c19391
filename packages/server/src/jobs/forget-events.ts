import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

/** Deletes events that have been kept for the configured time, by the database's clock. */
export async function forgetEvents(
  { database, settings }: Context,
  signal: AbortSignal,
): Promise<void> {
  const now = await database.readClock()
  const before = new Date(now.getTime() - settings.eventsForMs)
  while (!signal.aborted && (await database.forgetEvents(before, BATCH)) === BATCH);
}
