import { type Asset, type Client, isStowageError } from '@stowage/client'
import { forEachAsset } from './for-each-asset.ts'
import { inChunks } from './in-chunks.ts'

interface Change {
  assets: readonly Asset[]
  /** Only for deletions: removes the assets immediately, even if they are in the trash. */
  isPermanent?: boolean
  signal?: AbortSignal
}

/**
 * Moves assets to the trash, removes them, or restores them. Each request changes all of its assets or none. If some
 * assets no longer exist, the others are changed one by one. A restoration then rejects with `not_found`, after the
 * others are restored.
 */
export async function deleteOrRestore(
  client: Client,
  action: 'delete' | 'restore',
  { assets, isPermanent = false, signal }: Change,
): Promise<void> {
  const all = assets.map(({ id }) => id)
  const change = { action, ...(isPermanent && { permanent: true }) }
  try {
    await inChunks(all, (ids) => client.bulk({ ...change, ids }, { signal }))
  } catch (error) {
    if (!isStowageError(error, 'invalid')) throw error
    await forEachAsset(assets, ({ id }) =>
      action === 'restore'
        ? client.restore(id, undefined, { signal })
        : client.delete(id, { permanent: isPermanent, signal }).catch(ignoreNotFound),
    )
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isStowageError(error, 'not_found')) throw error
}
