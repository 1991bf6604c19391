import type { GivenProduct, Product } from '../domain/product.ts'

/** Changes of products, and what the shop calls them. */
export interface ProductData {
  /**
   * Inserts or updates by (product_id, variant_id), all or nothing. A missing field keeps its stored
   * value, even if another call changes it at the same time. Returns them in the given order. With
   * `isCopy`, no events are recorded.
   *
   * A product without IDs is the stored one with its SKU, if exactly one has it; otherwise the one with its handle and variant
   * name; otherwise a new one with provisional IDs. A new product with IDs takes the place of one with provisional IDs that
   * has the same SKU, or the same handle and variant name: its ID, its attachments and the lines of orders stay. No two given
   * products may have the same IDs, or, without IDs, the same handle and variant name.
   */
  putProducts(products: GivenProduct[], options?: { isCopy: boolean }): Promise<Product[]>
  /** The handles of those of these products that have one. */
  handlesOfProducts(ids: string[]): Promise<{ id: string; handle: string }[]>
}
