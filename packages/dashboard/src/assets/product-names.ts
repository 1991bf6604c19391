import type { Product } from '@stowage/client'

/** `Sample pack · Deluxe`; a product of one variant has no name for it. */
export function productName({ name, variant_name }: Product): string {
  return variant_name === '' ? name : `${name} · ${variant_name}`
}

/** Each name once, however many variants of the product there are. */
export function productNames(products: readonly Product[] = []): string[] {
  return [...new Set(products.map(({ name }) => name))]
}
