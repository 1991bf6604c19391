import type { Asset, Client, Product } from '@stowage/client'
import { forEachAsset } from './for-each-asset.ts'

/** The service accepts this many products in one call. */
const MAX_PRODUCTS = 1000

/** An asset, and products that it is attached to or was detached from. */
export interface Attachment {
  asset: Asset
  products: readonly Product[]
}

/** Detaches the assets, or attaches them again. Both can be repeated. */
export function changeAttachments(
  client: Client,
  call: 'attach' | 'detach',
  attachments: readonly Attachment[],
): Promise<void> {
  const productsOf = new Map(attachments.map(({ asset, products }) => [asset, products]))
  return forEachAsset([...productsOf.keys()], async (asset) => {
    const products = (productsOf.get(asset) ?? []).map(({ id }) => id)
    for (let start = 0; start < products.length; start += MAX_PRODUCTS) {
      await client[call](asset.id, { products: products.slice(start, start + MAX_PRODUCTS) })
    }
  })
}
