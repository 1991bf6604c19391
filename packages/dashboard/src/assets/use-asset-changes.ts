import { type Asset, type Client, isStowageError, type ProductReferences } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { changes } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import {
  type Attachment,
  assetsText,
  changeAttachments,
  deleteOrRestore,
  findChosenProducts,
  forEachAsset,
  inChunks,
} from './change-assets.ts'
import { groupProducts } from './product-names.ts'

interface Attaching {
  assets: readonly Asset[]
  products: ProductReferences
}

/**
 * Attaches assets to products. One request attaches up to 1,000 assets: all of them or none. The message offers to
 * undo it.
 */
export function useAttach({ onDone }: { onDone?(): void } = {}) {
  const client = useClient()
  const queries = useQueryClient()
  const tell = useTellAttached()
  return useMutation({
    mutationFn: (request: Attaching) => attachAssets(client, request),
    onSuccess(done) {
      tell(done)
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.attached')),
  })
}

/** Returns each asset with the products that it was not attached to before. */
export async function attachAssets(
  client: Client,
  { assets, products }: Attaching,
): Promise<Attachment[]> {
  const chosen = await findChosenProducts(client, products)
  const added: Attachment[] = []
  await forEachAsset(assets, async (asset) => {
    // The asset keeps products that it was already attached to, even if this is undone.
    const { products: before = [] } = asset.products
      ? asset
      : await client.asset(asset.id, { with_products: true })
    const known = new Set(before.map(({ id }) => id))
    added.push({ asset, products: chosen.filter(({ id }) => !known.has(id)) })
  })
  const all = assets.map(({ id }) => id)
  await inChunks(all, (ids) => client.bulk({ action: 'attach', ids, ...products }))
  return added
}

/** Returns a function that shows what was attached, and offers to undo it. */
export function useTellAttached() {
  const undo = useUndo('detach', { done: 'detachedAgain', failed: 'undoFailed' })
  return (done: readonly Attachment[]) => {
    const added = done.filter(({ products }) => products.length > 0)
    const products = groupProducts(added.flatMap((one) => one.products))
    if (added.length === 0) return notify({ message: changes.alreadyAttached })
    const assets = assetsText(done.map(({ asset }) => asset))
    notify({
      message: plural(changes.attachedTo, products.length, { assets }),
      action: { label: common.undo, run: () => void undo(added) },
    })
  }
}

/** Detaches assets from products. The message offers to undo it. */
export function useDetach({ onDone }: { onDone?(): void } = {}) {
  const client = useClient()
  const queries = useQueryClient()
  const undo = useUndo('attach', { done: 'attachedAgain', failed: 'attachAgainFailed' })
  return useMutation({
    mutationFn: (attachments: readonly Attachment[]) =>
      changeAttachments(client, 'detach', attachments),
    onSuccess(_result, attachments) {
      const products = groupProducts(attachments.flatMap((one) => one.products))
      const assets = attachments.map(({ asset }) => asset)
      notify({
        message: plural(changes.detachedFrom, products.length, { assets: assetsText(assets) }),
        action: { label: common.undo, run: () => void undo(attachments) },
      })
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.detached')),
  })
}

interface UndoTexts {
  done: 'detachedAgain' | 'attachedAgain'
  failed: 'undoFailed' | 'attachAgainFailed'
}

/** Returns a function that undoes the opposite of this action. */
function useUndo(action: 'attach' | 'detach', texts: UndoTexts) {
  const client = useClient()
  const queries = useQueryClient()
  return async (attachments: readonly Attachment[]) => {
    try {
      await changeAttachments(client, action, attachments)
      notify({ message: changes[texts.done] })
    } catch (error) {
      notify({ isError: true, title: changes[texts.failed], message: errorText(error) })
    }
    await queries.invalidateQueries(changedBy('asset.attached', 'asset.detached'))
  }
}

/** Restores assets from the trash, with their versions and products. */
export function useRestoreAssets() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (assets: readonly Asset[]) => deleteOrRestore(client, 'restore', { assets }),
    onSuccess: (_result, assets) =>
      notify({
        message: fill(changes.restored, { assets: assetsText(assets) }),
        about: assets.map(({ id }) => id),
      }),
    onError: (error, assets) =>
      notify({
        isError: true,
        title: assets.length === 1 ? changes.restoreFailed : changes.restoreManyFailed,
        message: restoreErrorText(error, assets.length),
        about: assets.map(({ id }) => id),
      }),
    onSettled: () => queries.invalidateQueries(changedBy('asset.restored')),
  })
}

function restoreErrorText(error: unknown, count: number): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  if (count === 1) {
    return changes.restoreGone
  }
  return changes.restoreManyGone
}
