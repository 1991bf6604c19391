import type { GivenProduct, NewProduct, ProductTexts } from '../../domain/product.ts'
import { foldText } from '../../domain/search.ts'
import { createTimeSlicer } from './time-slicer.ts'

/** A product with all of its texts, and with the same texts folded for searching. */
export interface FoldedProduct<Given = NewProduct> {
  /** As it was given. Without tags, the stored tags are kept. */
  given: Given
  texts: ProductTexts
  searchName: string
  searchVendor: string
  searchSku: string
  searchTags: string[]
}

/** Whether texts are missing, so that the stored ones must be read first. */
export function lacksTexts({ variantName, sku, vendor }: Partial<ProductTexts>): boolean {
  return variantName === undefined || sku === undefined || vendor === undefined
}

/** Takes missing texts from the stored product, if there is one. Tags are not folded again. */
export function foldProduct<Given extends Pick<NewProduct, 'name'> & Partial<ProductTexts>>(
  change: Given,
  stored: ProductTexts | undefined,
  searchTags: string[],
): FoldedProduct<Given> {
  const variantName = change.variantName ?? stored?.variantName ?? ''
  const sku = change.sku ?? stored?.sku ?? ''
  const vendor = change.vendor ?? stored?.vendor ?? ''
  return {
    given: change,
    texts: { variantName, sku, vendor },
    searchName: foldText(`${change.name} ${variantName}`),
    searchVendor: foldText(vendor),
    searchSku: foldText(sku),
    searchTags,
  }
}

/** Folds in time slices: long texts with unusual characters take a long time. Missing texts are empty. */
export async function foldProducts(
  products: GivenProduct[],
): Promise<FoldedProduct<GivenProduct>[]> {
  const yieldIfDue = createTimeSlicer()
  const folded: FoldedProduct<GivenProduct>[] = []
  for (const product of products) {
    const searchTags: string[] = []
    for (const tag of product.tags ?? []) {
      searchTags.push(foldText(tag))
      await yieldIfDue()
    }
    folded.push(foldProduct(product, undefined, searchTags))
    await yieldIfDue()
  }
  return folded
}
