import type { NewProduct } from '../domain/product.ts'
import { foldText } from '../domain/search-text.ts'
import { createPauses } from './time-slicer.ts'

/** A product with its texts as they are searched. */
export interface FoldedProduct {
  product: NewProduct
  searchName: string
  searchVendor: string
  searchTags: string[]
}

/** Folding takes long where texts are long and of rare characters, so others are served meanwhile. */
export async function foldProducts(products: NewProduct[]): Promise<FoldedProduct[]> {
  const pause = createPauses()
  const folded: FoldedProduct[] = []
  for (const product of products) {
    const searchTags: string[] = []
    for (const tag of product.tags) {
      searchTags.push(foldText(tag))
      await pause()
    }
    const searchName = foldText(`${product.name} ${product.variantName}`)
    folded.push({ product, searchName, searchVendor: foldText(product.vendor), searchTags })
    await pause()
  }
  return folded
}
