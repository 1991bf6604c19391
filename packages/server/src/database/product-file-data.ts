/** The order of the files of a product of the shop, for all of its variants. */
export interface FileOrder {
  productId: number
  assetIds: string[]
}

export type FileOrderOutcome =
  | { outcome: 'done' }
  /** These assets are attached to no variant of the product. */
  | { outcome: 'assets_not_attached'; unknown: string[] }

export interface ProductFileData {
  /**
   * Sets the order of the files of a product; without IDs, it has none. An asset that is detached keeps its position, in case
   * it is attached again. Records the event `product.arranged` if the order changes. The IDs differ from each other, at most `MAX_ORDERED_FILES`.
   */
  arrangeFiles(productId: number, assetIds: string[]): Promise<FileOrderOutcome>
  /** The IDs in the order that was set: also of assets that are not attached now. */
  readFileOrder(productId: number): Promise<string[]>
  /** For a copy in another deployment: the orders of the products after this one. */
  listFileOrders(afterProductId: number, limit: number): Promise<FileOrder[]>
  /** Copies an order, after the assets. Can be repeated. */
  importFileOrder(order: FileOrder): Promise<void>
}
