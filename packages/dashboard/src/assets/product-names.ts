import type { Product } from '@stowage/client'

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

/** A product with those of its variants that are in a list. */
export interface VariantGroup {
  productId: number
  name: string
  variants: readonly Product[]
}

/** One group per product, in the order of the list. */
export function groupProducts(products: readonly Product[] = []): VariantGroup[] {
  const groups = Map.groupBy(products, ({ product_id }) => product_id)
  return [...groups].map(([productId, variants]) => ({
    productId,
    name: variants[0]?.name ?? '',
    variants,
  }))
}
