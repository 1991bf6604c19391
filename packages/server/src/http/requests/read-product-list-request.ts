import type { ListProductsQuery } from '@stowage/protocol'
import type { ProductListRequest } from '../../operations/products/list-products.ts'
import { readPageRequest } from './read-page-request.ts'

export function readProductListRequest(query: ListProductsQuery): ProductListRequest {
  const { name, sku, vendor, tag, product_id: productId, variant_id: variantId } = query
  return {
    ...readPageRequest(query, 'created_at'),
    name,
    sku,
    vendor,
    tag,
    ...(productId !== undefined && { productId }),
    ...(variantId !== undefined && { variantId }),
  }
}
