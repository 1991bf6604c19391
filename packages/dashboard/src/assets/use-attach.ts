import type { Asset, ProductReferences } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { assetsText } from './assets-text.ts'
import { type Attachment, changeAttachments } from './change-attachments.ts'
import { findChosenProducts } from './find-chosen-products.ts'
import { forEachAsset } from './for-each-asset.ts'
import { inChunks } from './in-chunks.ts'
import { groupProducts } from './product-groups.ts'

interface Request {
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
  const undo = async (attachments: readonly Attachment[]) => {
    try {
      await changeAttachments(client, 'detach', attachments)
      notify({ message: 'Detached again' })
    } catch (error) {
      notify({ isError: true, title: 'Could not undo', message: errorText(error) })
    }
    await queries.invalidateQueries()
  }
  return useMutation({
    async mutationFn({ assets, products }: Request): Promise<Attachment[]> {
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
    onSettled: () => queries.invalidateQueries(),
  })
}
