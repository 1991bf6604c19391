import type { NewProduct } from '../domain/product.ts'
import { foldText } from '../domain/search-text.ts'
import { createTimeSlicer } from './time-slicer.ts'

/** A product with its texts folded for searching. */
export interface FoldedProduct {
  product: NewProduct
  searchName: string
  searchVendor: string
  searchTags: string[]
}

/** Folds in time slices: long texts with unusual characters take long. */
export async function foldProducts(products: NewProduct[]): Promise<FoldedProduct[]> {
  const yieldIfDue = createTimeSlicer()
  const folded: FoldedProduct[] = []
  for (const product of products) {
    const searchTags: string[] = []
    for (const tag of product.tags) {
      searchTags.push(foldText(tag))
      await yieldIfDue()
    }
    const searchName = foldText(`${product.name} ${product.variantName}`)
    folded.push({ product, searchName, searchVendor: foldText(product.vendor), searchTags })
    await yieldIfDue()
  }
  return folded
}
