/** A variant of a product of the shop. */
export interface Product {
  id: string
  /** The shop's own numbers: together they are unique in an account. */
  productId: number
  variantId: number
  name: string
  variantName: string
  sku: string
  vendor: string
  tags: string[]
}

/** The id is taken only where (productId, variantId) is new. */
export type NewProduct = Product

/** Products, named in any of four ways. */
export interface ProductSelection {
  /** Each stands for all variants of the product. */
  productIds: number[]
  variantIds: number[]
  /** Our own ids. */
  ids: string[]
  /** Each stands for all products that have exactly this SKU. */
  skus: string[]
}
