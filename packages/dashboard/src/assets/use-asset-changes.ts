import { type Asset, isStowageError, type ProductReferences } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { countText, errorText } from '../format.ts'
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
  const undo = useUndo('detach', { done: 'Detached again', failed: 'Could not undo' })
  return useMutation({
    async mutationFn({ assets, products }: Attaching): Promise<Attachment[]> {
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
    },
    onSuccess(done, { assets }) {
      const added = done.filter(({ products }) => products.length > 0)
      const products = groupProducts(added.flatMap((one) => one.products))
      if (added.length === 0) notify({ message: 'Already attached' })
      else {
        notify({
          message: `${assetsText(assets)} attached to ${countText(products.length, 'product')}`,
          action: { label: 'Undo', run: () => void undo(added) },
        })
      }
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.attached')),
  })
}

/** Detaches assets from products. The message offers to undo it. */
export function useDetach({ onDone }: { onDone?(): void } = {}) {
  const client = useClient()
  const queries = useQueryClient()
  const undo = useUndo('attach', { done: 'Attached again', failed: 'Could not attach again' })
  return useMutation({
    mutationFn: (attachments: readonly Attachment[]) =>
      changeAttachments(client, 'detach', attachments),
    onSuccess(_result, attachments) {
      const products = groupProducts(attachments.flatMap((one) => one.products))
      const assets = attachments.map(({ asset }) => asset)
      notify({
        message: `${assetsText(assets)} detached from ${countText(products.length, 'product')}`,
        action: { label: 'Undo', run: () => void undo(attachments) },
      })
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.detached')),
  })
}

/** Returns a function that undoes the opposite of this action. */
function useUndo(action: 'attach' | 'detach', texts: { done: string; failed: string }) {
  const client = useClient()
  const queries = useQueryClient()
  return async (attachments: readonly Attachment[]) => {
    try {
      await changeAttachments(client, action, attachments)
      notify({ message: texts.done })
    } catch (error) {
      notify({ isError: true, title: texts.failed, message: errorText(error) })
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
      notify({ message: `${assetsText(assets)} restored`, about: assets.map(({ id }) => id) }),
    onError: (error, assets) =>
      notify({
        isError: true,
        title: assets.length === 1 ? 'Could not restore the asset' : 'Could not restore all assets',
        message: restoreErrorText(error, assets.length),
        about: assets.map(({ id }) => id),
      }),
    onSettled: () => queries.invalidateQueries(changedBy('asset.restored')),
  })
}

function restoreErrorText(error: unknown, count: number): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  if (count === 1) {
    return 'It is no longer in the trash. It was deleted forever, or an upload needed its storage.'
  }
  return 'Some assets are no longer in the trash. They were deleted forever, or an upload needed their storage. The others were restored.'
}
