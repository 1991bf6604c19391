import type { Asset, ProductReferences } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { type Attachment, changeAttachments } from './change-attachments.ts'
import { forEachAsset } from './for-each-asset.ts'
import { groupProducts } from './product-groups.ts'

interface Request {
  assets: readonly Asset[]
  products: ProductReferences
}

/** An asset as it is now, and the products that it was not attached to before. */
type Attached = Attachment

/** Attaches assets to products. The message offers to undo it. */
export function useAttach({ onDone }: { onDone?(): void } = {}) {
  const client = useClient()
  const queries = useQueryClient()
  const undo = async (attachments: readonly Attachment[]) => {
    try {
      await changeAttachments(client, 'detach', attachments)
      notify({ message: 'Detached again' })
    } catch (error) {
      notify({ isError: true, title: 'Could not detach again', message: errorText(error) })
    }
    await queries.invalidateQueries()
  }
  return useMutation({
    async mutationFn({ assets, products }: Request): Promise<Attached[]> {
      const done: Attached[] = []
      await forEachAsset(assets, async (asset) => {
        // The asset keeps products that it was attached to before, even if this is undone.
        const { products: before = [] } = asset.products
          ? asset
          : await client.asset(asset.id, { with_products: true })
        const known = new Set(before.map(({ id }) => id))
        const changed = await client.attach(asset.id, products)
        const added = changed.products?.filter(({ id }) => !known.has(id)) ?? []
        done.push({ asset: changed, products: added })
      })
      return done
    },
    onSuccess(done) {
      const added = done.filter(({ products }) => products.length > 0)
      const products = groupProducts(added.flatMap((one) => one.products))
      if (added.length === 0) notify({ message: 'Already attached' })
      else {
        notify({
          message: `${countText(done.length, 'asset')} attached to ${countText(products.length, 'product')}`,
          action: { label: 'Undo', run: () => void undo(added) },
        })
      }
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(),
  })
}
