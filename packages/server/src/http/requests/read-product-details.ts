import type * as wire from '@stowage/protocol'
import type { ProductDetails } from '../../operations/products/put-products.ts'

export function readProductDetails(product: wire.ProductDetails): ProductDetails {
  return {
    productId: product.product_id,
    variantId: product.variant_id,
    name: product.name,
    variantName: product.variant_name ?? '',
    sku: product.sku ?? '',
    vendor: product.vendor ?? '',
    tags: product.tags ?? [],
  }
}
