import type { ProductSelection } from '../../domain/product.ts'
import type { Sql } from './connection.ts'
import type { ProductRow } from './product-rows.ts'

/** The selected products. */
export interface SelectedProducts {
  ids: string[]
  /** The selectors that match no product. */
  unknown: ProductSelection
  /** Whether every selector matches a product. */
  isComplete: boolean
}

/** Locks the selected products, so that they are not deleted before the transaction ends. */
export async function lockProducts(
  transaction: Sql,
  account: string,
  selection: ProductSelection,
): Promise<SelectedProducts> {
  const found = await transaction<ProductRow[]>`
    select id, product_id, variant_id, sku from products
    where account_id = ${account} and (
      product_id = any(${selection.productIds}::bigint[])
      or variant_id = any(${selection.variantIds}::bigint[])
      or id = any(${selection.ids}::uuid[])
      or sku = any(${selection.skus}::text[]))
    order by product_id, variant_id for key share`
  const unknown = unknownOf(selection, found)
  const isComplete = Object.values(unknown).every((values) => values.length === 0)
  return { ids: found.map(({ id }) => id), unknown, isComplete }
}

/** The selectors that match no product. */
function unknownOf(selection: ProductSelection, found: Iterable<ProductRow>): ProductSelection {
  const products = [...found]
  const productIds = new Set(products.map((product) => product.product_id))
  const variantIds = new Set(products.map((product) => product.variant_id))
  const ids = new Set(products.map((product) => product.id))
  const skus = new Set(products.map((product) => product.sku))
  return {
    productIds: selection.productIds.filter((id) => !productIds.has(id)),
    variantIds: selection.variantIds.filter((id) => !variantIds.has(id)),
    ids: selection.ids.filter((id) => !ids.has(id)),
    skus: selection.skus.filter((sku) => !skus.has(sku)),
  }
}
