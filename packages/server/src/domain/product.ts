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

/** The texts of a product that may be empty. */
export type ProductTexts = Pick<Product, 'variantName' | 'sku' | 'vendor'>

/**
 * A product to insert or update. The ID is used only if the pair of productId and variantId is new. A
 * missing field keeps its stored value; in a new product it is empty.
 */
export type NewProduct = Pick<Product, 'id' | 'productId' | 'variantId' | 'name'> &
  Partial<ProductTexts & Pick<Product, 'tags'>>

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
