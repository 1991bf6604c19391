import type * as wire from '@stowage/protocol'
import type { Product } from '../../domain/product.ts'

export function presentProduct(product: Product): wire.Product {
  return {
    id: product.id,
    name: product.name,
    variant_name: product.variantName,
    sku: product.sku,
    product_id: product.productId,
    variant_id: product.variantId,
    vendor: product.vendor,
    tags: product.tags,
  }
}
