import type { Product } from '@stowage/client'

type Texts = Pick<Product, 'name' | 'vendor'> & Partial<Pick<Product, 'variant_name' | 'sku'>>

/** Whether every word of the search is in the name, the variant name, the SKU or the vendor, as in the service. */
export function hasWords(product: Texts, search: string): boolean {
  const { name, vendor, variant_name = '', sku = '' } = product
  return textHasWords(`${name} ${vendor} ${variant_name} ${sku}`, search)
}

export function textHasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
