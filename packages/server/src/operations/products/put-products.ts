import { MAX_PRODUCT_CHARACTERS, MAX_TAGS } from '@stowage/protocol'
import type { NewProduct, Product } from '../../domain/product.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

export type ProductDetails = Omit<NewProduct, 'id'>

/**
 * Inserts or updates the products, keyed by product and variant ID: all of them or none. A missing
 * field keeps its stored value.
 */
export async function putProducts(
  context: AccountContext,
  products: ProductDetails[],
): Promise<Product[]> {
  checkTotals(products)
  checkProducts(products)
  return context.data.putProducts(products.map((product) => ({ id: context.newId(), ...product })))
}

/** Limits all products together, because the work grows with their tags and characters. */
function checkTotals(products: ProductDetails[]): void {
  let tags = 0
  let characters = 0
  for (const product of products) {
    const { name, variantName = '', sku = '', vendor = '', tags: ownTags = [] } = product
    tags += ownTags.length
    for (const text of [name, variantName, sku, vendor, ...ownTags]) characters += text.length
  }
  const problems = [
    ...problemWithTotal(tags, MAX_TAGS, 'tags'),
    ...problemWithTotal(characters, MAX_PRODUCT_CHARACTERS, 'characters'),
  ]
  if (problems.length > 0) throw invalid({ products: problems })
}

function problemWithTotal(count: number, limit: number, unit: string): string[] {
  if (count <= limit) return []
  return [`have ${count} ${unit} in total; send at most ${limit} in one call`]
}

function checkProducts(products: ProductDetails[]): void {
  const errors: Record<string, string[]> = {}
  const seen = new Map<string, number>()
  for (const [index, { productId, variantId, name }] of products.entries()) {
    const key = `${productId} ${variantId}`
    const earlier = seen.get(key)
    if (earlier !== undefined) {
      errors[`products.${index}`] = [`is the same product and variant as products.${earlier}`]
    }
    seen.set(key, index)
    if (name.trim() === '') errors[`products.${index}.name`] = ['must not be empty']
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}
