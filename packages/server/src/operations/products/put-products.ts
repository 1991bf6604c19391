import { MOST_PRODUCT_CHARACTERS, MOST_TAGS } from '@stowage/protocol'
import { isSearchable } from '../../domain/filename.ts'
import type { Product } from '../../domain/product.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

export interface ProductDetails {
  product_id: number
  variant_id: number
  name: string
  variant_name?: string | undefined
  sku?: string | undefined
  vendor?: string | undefined
  tags?: string[] | undefined
}

/** Inserts or changes the products, keyed by product and variant id: all of them or none. */
export async function putProducts(
  context: AccountContext,
  details: ProductDetails[],
): Promise<Product[]> {
  checkWeight(details)
  checkProducts(details)
  return context.data.putProducts(
    details.map((product) => ({
      id: context.newId(),
      productId: product.product_id,
      variantId: product.variant_id,
      name: product.name,
      variantName: product.variant_name ?? '',
      sku: product.sku ?? '',
      vendor: product.vendor ?? '',
      tags: product.tags ?? [],
    })),
  )
}

/** Each product may be large, but not all of them: the work grows with tags and characters. */
function checkWeight(details: ProductDetails[]): void {
  let tags = 0
  let characters = 0
  for (const product of details) {
    const { name, variant_name = '', sku = '', vendor = '' } = product
    const texts = [name, variant_name, sku, vendor, ...(product.tags ?? [])]
    tags += texts.length - 4
    for (const { length } of texts) characters += length
  }
  const most = (count: number, limit: number, what: string) =>
    count <= limit ? [] : [`have ${count} ${what} together; send at most ${limit} in one call`]
  const products = [
    ...most(tags, MOST_TAGS, 'tags'),
    ...most(characters, MOST_PRODUCT_CHARACTERS, 'characters'),
  ]
  if (products.length > 0) throw invalid({ products })
}

function checkProducts(details: ProductDetails[]): void {
  const errors: Record<string, string[]> = {}
  const seen = new Map<string, number>()
  for (const [index, product] of details.entries()) {
    const key = `${product.product_id} ${product.variant_id}`
    const earlier = seen.get(key)
    if (earlier !== undefined) {
      errors[`products.${index}`] = [`is the same product and variant as products.${earlier}`]
    }
    seen.set(key, index)
    const { name, variant_name, sku, vendor, tags } = product
    const texts = Object.entries({ name, variant_name, sku, vendor, tags: tags?.join(' ') })
    for (const [field, text] of texts) {
      if (text !== undefined && !isSearchable(text)) {
        errors[`products.${index}.${field}`] = ['must not have control characters']
      }
    }
    if (name.trim() === '') errors[`products.${index}.name`] = ['must not be empty']
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}
