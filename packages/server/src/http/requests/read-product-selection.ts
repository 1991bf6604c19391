import type { ProductReferences } from '@stowage/protocol'
import type { ProductSelection } from '../../domain/product.ts'
import { invalid } from '../../errors.ts'

export function readProductSelection(references: ProductReferences): ProductSelection {
  const selection = {
    productIds: references.product_ids ?? [],
    variantIds: references.variant_ids ?? [],
    ids: references.products?.map((id) => id.toLowerCase()) ?? [],
    skus: references.skus ?? [],
  }
  if (Object.values(selection).every((values) => values.length === 0)) {
    throw invalid({
      product_ids: ['must name at least one product, unless variant_ids, products or skus do'],
    })
  }
  return selection
}
