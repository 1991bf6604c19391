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

/** IDs of shops are smaller: products whose IDs are not known yet get larger ones, up to 2^53 - 1. */
export const FIRST_PROVISIONAL_ID = 2 ** 52

export function isProvisional(shopId: number): boolean {
  return shopId >= FIRST_PROVISIONAL_ID
}

/**
 * A product with the shop's IDs, or one that is identified by its SKU, or by its handle and its variant name. If another
 * product may have the same SKU, `matchBy` must be `handle`.
 */
export type GivenProduct = Omit<NewProduct, 'productId' | 'variantId'> &
  Partial<Pick<NewProduct, 'productId' | 'variantId'>> & {
    /** The product's name in the URLs of the shop. */
    handle?: string
    matchBy?: 'sku' | 'handle'
  }

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

/** A product of the shop with its variants. */
export interface ProductGroup {
  productId: number
  /**
   * The first variants, by variant ID; in the list of an asset’s products, only those that the asset is attached to.
   * Never empty.
   */
  variants: Product[]
  variantsTotal: number
  /** How many variants match the filters of the list. */
  matchingTotal?: number
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

/** The selection without the selectors that match no product. Undefined if none remains. */
export function knownProducts(
  selection: ProductSelection,
  unknown: ProductSelection,
): ProductSelection | undefined {
  const known: ProductSelection = {
    productIds: without(selection.productIds, unknown.productIds),
    variantIds: without(selection.variantIds, unknown.variantIds),
    ids: without(selection.ids, unknown.ids),
    skus: without(selection.skus, unknown.skus),
  }
  return Object.values(known).some((values) => values.length > 0) ? known : undefined
}

function without<Value>(values: Value[], removed: Value[]): Value[] {
  const isRemoved = new Set(removed)
  return values.filter((value) => !isRemoved.has(value))
}
