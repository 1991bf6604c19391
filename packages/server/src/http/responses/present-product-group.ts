import type * as wire from '@stowage/protocol'
import type { ProductGroup } from '../../domain/product-group.ts'
import { presentProduct } from './present-product.ts'

export function presentProductGroup(group: ProductGroup): wire.ProductGroup {
  const { productId, variants, variantsTotal, assetsTotal, attachedTotal } = group
  const [first] = variants
  return {
    product_id: productId,
    name: first?.name ?? '',
    vendor: first?.vendor ?? '',
    tags: first?.tags ?? [],
    variants: variants.map(presentProduct),
    variants_total: variantsTotal,
    ...(assetsTotal !== undefined && { assets_total: assetsTotal }),
    ...(attachedTotal !== undefined && { attached_total: attachedTotal }),
  }
}
