import type * as wire from '@stowage/protocol'
import type { ProductDetails } from '../../operations/products/put-products.ts'

export function readProductDetails(product: wire.ProductDetails): ProductDetails {
  const { product_id, variant_id, name, variant_name, sku, vendor, tags } = product
  return {
    productId: product_id,
    variantId: variant_id,
    name,
    ...(variant_name !== undefined && { variantName: variant_name }),
    ...(sku !== undefined && { sku }),
    ...(vendor !== undefined && { vendor }),
    ...(tags !== undefined && { tags }),
  }
}
