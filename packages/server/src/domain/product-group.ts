import type { Product } from './product.ts'

/** A product of the shop with its variants. */
export interface ProductGroup {
  productId: number
  /**
   * The first variants, by variant ID; in the list of an asset’s products, only those that the asset is attached to.
   * Never empty.
   */
  variants: Product[]
  variantsTotal: number
  /**
   * Assets attached to any variant; null if there are too many to count. Undefined in the list of an asset’s
   * products.
   */
  assetsTotal?: number | null
  /**
   * In the list of an asset’s products, how many variants the asset is attached to. Undefined in the list of all
   * products.
   */
  attachedTotal?: number
}
