import type { Product } from '@stowage/client'

/** `Sample pack · Deluxe`. The only variant of a product has no name. */
export function productName({ name, variant_name }: Product): string {
  return variant_name === '' ? name : `${name} · ${variant_name}`
}

/** The distinct names: the variants of a product share one. */
export function productNames(products: readonly Product[] = []): string[] {
  return [...new Set(products.map(({ name }) => name))]
}
