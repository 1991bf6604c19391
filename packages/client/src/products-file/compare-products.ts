import type { Product, ProductDetails } from '@stowage/protocol'
import { type LocatedProduct, variantKey } from './parse-products-file.ts'

export type ComparedField = 'name' | 'variant_name' | 'sku' | 'vendor' | 'tags'

export interface FieldChange {
  field: ComparedField
  before: string
  after: string
}

export interface ComparedProduct extends LocatedProduct {
  outcome: 'new' | 'changed' | 'unchanged'
  /** Only of a changed one. */
  changes: FieldChange[]
}

const FIELDS: ComparedField[] = ['name', 'variant_name', 'sku', 'vendor', 'tags']

/**
 * What putting the products would do beside those that are there. A field that is left out is emptied,
 * as the service does.
 */
export function compareProducts(
  products: LocatedProduct[],
  existing: Iterable<Product>,
): ComparedProduct[] {
  const there = new Map([...existing].map((product) => [variantKey(product), product]))
  return products.map((product) => {
    const before = there.get(variantKey(product.details))
    if (before === undefined) return { ...product, outcome: 'new', changes: [] }
    const changes = FIELDS.map((field) => ({
      field,
      before: shown(before, field),
      after: shown(product.details, field),
    })).filter((change) => change.before !== change.after)
    return { ...product, outcome: changes.length > 0 ? 'changed' : 'unchanged', changes }
  })
}

function shown(product: ProductDetails, field: ComparedField): string {
  return field === 'tags' ? (product.tags ?? []).join(', ') : (product[field] ?? '')
}
