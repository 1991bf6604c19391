import type { Product, ProductDetails } from '@stowage/protocol'
import { type LocatedProduct, variantKey } from './parse-products-file.ts'

/** A field that `compareProducts` compares. */
export type ComparedField = 'name' | 'variant_name' | 'sku' | 'vendor' | 'tags'

/** A changed field, with its values as text. */
export interface FieldChange {
  /** The field. */
  field: ComparedField
  /** The stored value. */
  before: string
  /** The value in the file. */
  after: string
}

/** A product of the file, compared with the stored one. */
export interface ComparedProduct extends LocatedProduct {
  /** What `putProducts` would do with it. */
  outcome: 'new' | 'changed' | 'unchanged'
  /** The stored product; missing if the outcome is `new`. */
  stored?: Product
  /** The changed fields; empty unless the outcome is `changed`. */
  changes: FieldChange[]
}

const FIELDS: ComparedField[] = ['name', 'variant_name', 'sku', 'vendor', 'tags']

/**
 * Compares products of a file with stored ones, and returns what `putProducts` would change. A field that
 * is missing in the file keeps its stored value, so it is no change.
 */
export function compareProducts(
  products: LocatedProduct[],
  existing: Iterable<Product>,
): ComparedProduct[] {
  const stored = new Map([...existing].map((product) => [variantKey(product), product]))
  return products.map((product) => {
    const before = stored.get(variantKey(product.details))
    if (before === undefined) return { ...product, outcome: 'new', changes: [] }
    const changes = FIELDS.filter((field) => product.details[field] !== undefined)
      .map((field) => ({
        field,
        before: textOf(before, field),
        after: textOf(product.details, field),
      }))
      .filter((change) => change.before !== change.after)
    const outcome = changes.length > 0 ? 'changed' : 'unchanged'
    return { ...product, outcome, stored: before, changes }
  })
}

function textOf(product: ProductDetails, field: ComparedField): string {
  if (field !== 'tags') return product[field] ?? ''
  // Quoted, because one tag with a comma is different from two tags.
  return (product.tags ?? []).map((tag) => (tag.includes(',') ? `“${tag}”` : tag)).join(', ')
}
