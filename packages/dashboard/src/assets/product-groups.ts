import type { Product } from '@stowage/client'

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
