import type { AccountContext } from '../context.ts'
import { emptyTrash } from './empty-trash.ts'

/** How many small transactions the call waits for. A job continues after them. */
const MAX_BATCHES = 50

/**
 * Moves all assets that are ready at the time of the call to the trash, in small transactions. If the service has no
 * trash, also removes them. If the call is interrupted, a job continues. Idempotent.
 */
export async function deleteAllAssets(context: AccountContext): Promise<void> {
  const { data, settings } = context
  await data.beginTrashAll()
  let batches = 1
  while ((await data.continueTrashAll()) > 0 && batches < MAX_BATCHES) batches += 1
  if (settings.trashForMs === 0) await emptyTrash(context)
}
