import type { Product } from '../../domain/product.ts'

export interface ProductRow {
  id: string
  product_id: number
  variant_id: number
  name: string
  variant_name: string
  sku: string
  vendor: string
  tags: string[]
}

export const PRODUCT_COLUMNS = [
  'id',
  'product_id',
  'variant_id',
  'name',
  'variant_name',
  'sku',
  'vendor',
  'tags',
] as const

export function toProduct(row: ProductRow): Product {
  return {
    id: row.id,
    productId: row.product_id,
    variantId: row.variant_id,
    name: row.name,
    variantName: row.variant_name,
    sku: row.sku,
    vendor: row.vendor,
    tags: row.tags,
  }
}
