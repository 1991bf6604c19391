import type { Product } from '@stowage/client'
import { groupProducts } from './product-groups.ts'

/** `Sample pack · Deluxe`, or `Sample pack` if the variant has no name. */
export function productName({ name, variant_name }: Product): string {
  return variant_name === '' ? name : `${name} · ${variant_name}`
}

/** The distinct names: several variants of a product share its name. */
export function productNames(products: readonly Product[] = []): string[] {
  const names = groupProducts(products).map(({ name, variants: [first, ...others] }) =>
    first === undefined || others.length > 0 ? name : productName(first),
  )
  return [...new Set(names)]
}
