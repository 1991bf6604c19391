import type { ProductSelection } from './product.ts'

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
