import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

/** How long an expired token is kept, so that a repeated completion gets the same response. */
const REMEMBERED_MS = 24 * 3_600_000

/** Deletes upload tokens that expired long ago and whose uploads have all ended. */
export async function forgetUploadTokens(
  { database }: Context,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await database.forgetUploadTokens(REMEMBERED_MS, BATCH)) === BATCH);
}
