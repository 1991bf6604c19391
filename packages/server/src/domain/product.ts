/** A variant of a product of the shop. */
export interface Product {
  id: string
  /** The shop’s own IDs. The pair is unique in an account. */
  productId: number
  variantId: number
  name: string
  variantName: string
  sku: string
  vendor: string
  tags: string[]
}

/** The ID is used only if the pair of productId and variantId is new. */
export type NewProduct = Product

/** Selects products in any of four ways. */
export interface ProductSelection {
  /** Each selects all variants of the product. */
  productIds: number[]
  variantIds: number[]
  /** IDs of Stowage. */
  ids: string[]
  /** Each selects all products with exactly this SKU. */
  skus: string[]
}
