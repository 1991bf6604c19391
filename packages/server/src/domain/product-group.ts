import type { Product } from './product.ts'

/** A product of the shop with its variants. */
export interface ProductGroup {
  productId: number
  /** The first variants, by variant ID, or the first ones that the asset is attached to; never empty. */
  variants: Product[]
  variantsTotal: number
  /** Assets attached to any variant. Undefined in the list of an asset; null if there are too many to count. */
  assetsTotal?: number | null
  /** Variants that the asset is attached to. Undefined in the list of all products. */
  attachedTotal?: number
}
