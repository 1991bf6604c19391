import { MAX_NESTED_ASSETS } from '@stowage/protocol'
import type { Asset } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'

export interface ProductWithAssets {
  product: Product
  /** The newest assets of the product. */
  assets: Asset[]
  /** How many assets the product has. */
  total: number
}

export async function withNewestAssets(
  { data }: AccountContext,
  product: Product,
): Promise<ProductWithAssets> {
  return { product, ...(await data.newestAssetsOf(product.id, MAX_NESTED_ASSETS)) }
}
