import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

/** How long the rows of cancelled, expired and deleted assets are kept: a repeated call gets the same response. */
const REMEMBERED_MS = 7 * 24 * 3_600_000

/** Deletes the rows of assets that ended long ago. */
export async function forgetEndedAssets({ database }: Context, signal: AbortSignal): Promise<void> {
  const now = await database.readClock()
  const before = new Date(now.getTime() - REMEMBERED_MS)
  while (!signal.aborted && (await database.forgetEndedAssets(before, BATCH)) === BATCH);
}
