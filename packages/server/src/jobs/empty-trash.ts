import { TRASH_BATCH } from '../database/trash-data.ts'
import type { Context } from '../operations/context.ts'

/** Removes assets that have been in the trash for the configured time, by the database's clock. */
export async function emptyTrash(
  { database, settings }: Context,
  signal: AbortSignal,
): Promise<void> {
  let removed = TRASH_BATCH
  while (!signal.aborted && removed === TRASH_BATCH) {
    removed = await database.removeOldTrash(settings.trashForMs)
  }
}
