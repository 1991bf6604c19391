import type * as wire from '@stowage/protocol'
import type { ProductWithAssets } from '../../operations/products/with-newest-assets.ts'
import { presentAsset } from './present-asset.ts'
import { presentProduct } from './present-product.ts'

export function presentProductWithAssets({
  product,
  assets,
  total,
}: ProductWithAssets): wire.ProductWithAssets {
  return { ...presentProduct(product), assets: assets.map(presentAsset), assets_total: total }
}
