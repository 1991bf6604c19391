import type { ProductDetails } from '@stowage/client'

/** As the columns of a file are called. */
export const FIELD_WORDS: Record<keyof ProductDetails, string> = {
  product_id: 'Product ID',
  variant_id: 'Variant ID',
  name: 'Title',
  variant_name: 'Variant',
  sku: 'SKU',
  vendor: 'Vendor',
  tags: 'Tags',
}
