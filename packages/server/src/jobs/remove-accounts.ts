import type { Context } from '../operations/context.ts'
import { forAccount } from '../operations/context.ts'
import { deleteAssets } from '../operations/trash.ts'
import { cancelUpload } from '../operations/uploads/uploads.ts'

/** How many rows are removed in a transaction. */
const ROWS = 500
const ASSETS = 200
const UPLOADS = 100
/** After this many batches, the next account has its turn, so that a large one does not delay the others. */
const BATCHES_PER_TURN = 50

/**
 * Removes everything of deleted accounts whose grace period is over, in batches, one account at a time. The objects are
 * queued for removal from the storage. An instance that is stopped or killed in the middle leaves the rest to the next run,
 * of any instance.
 */
export async function removeAccounts(context: Context, signal: AbortSignal): Promise<void> {
  const { database } = context
  while (!signal.aborted) {
    const account = await database.claimAccountRemoval()
    if (account === undefined) return
    for (let batch = 0; batch < BATCHES_PER_TURN && !signal.aborted; batch += 1) {
      const progress = await removeBatch(context, account)
      if (progress === 'removed') break
      // A completion is running. Nothing else of the account is left.
      if (progress === 'waiting') return
    }
    await database.releaseAccountRemoval(account)
  }
}

async function removeBatch(
  context: Context,
  account: string,
): Promise<'removed' | 'continues' | 'waiting'> {
  const { database } = context
  if (await endAssets(context, account)) return 'continues'
  if ((await database.removeAccountRows(account, ROWS)) > 0) return 'continues'
  return (await database.removeAccount(account)) ? 'removed' : 'waiting'
}

/** Deletes the next assets permanently, and cancels the next uploads. False if none remains but those being completed. */
async function endAssets(context: Context, account: string): Promise<boolean> {
  const own = forAccount(context, account)
  const { data } = own
  const sort = { by: 'created_at', descending: false } as const
  const ready = await data.selectAssets({ page: 1, perPage: ASSETS, sort }, ASSETS)
  const trashed =
    ready.length > 0 ? [] : await data.selectTrash({ page: 1, perPage: ASSETS }, ASSETS)
  const ids = [...ready, ...trashed]
  if (ids.length > 0) {
    await deleteAssets(own, ids, { isPermanent: true })
    return true
  }
  const { rows } = await data.listUploads({ page: 1, perPage: UPLOADS })
  let cancelled = 0
  for (const { id, asset, status } of rows) {
    if (status !== 'uploading') continue
    await cancelUpload(own, asset.id, { uploadId: id })
    cancelled += 1
  }
  return cancelled > 0
}
