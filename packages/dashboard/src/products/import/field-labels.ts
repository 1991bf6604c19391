import type { ProductDetails } from '@stowage/client'

/** The labels of the fields. A CSV file may use them as the names of its columns. */
export const FIELD_LABELS: Record<keyof ProductDetails, string> = {
  product_id: 'Product ID',
  variant_id: 'Variant ID',
  name: 'Title',
  variant_name: 'Variant',
  sku: 'SKU',
  vendor: 'Vendor',
  tags: 'Tags',
}
