import type { ProductDetails } from '@stowage/client'

/** The names of the columns in a file. */
export const FIELD_LABELS: Record<keyof ProductDetails, string> = {
  product_id: 'Product ID',
  variant_id: 'Variant ID',
  name: 'Title',
  variant_name: 'Variant',
  sku: 'SKU',
  vendor: 'Vendor',
  tags: 'Tags',
}
