import type { Product, ProductGroup, ProductSelection } from '../../domain/product.ts'
import type { AccountData, AttachmentOutcome } from '../account-data.ts'
import type { AssetsAttachmentOutcome } from '../trash-data.ts'
import { fromJson, type Json } from './rows.ts'

export interface ProductRow {
  id: string
  product_id: number
  variant_id: number
  name: string
  variant_name: string
  sku: string
  vendor: string
  tags: Json<string[]>
}

export const PRODUCT_COLUMNS =
  'id, product_id, variant_id, name, variant_name, sku, vendor, tags'.split(', ')

export function toProduct(row: ProductRow): Product {
  return {
    id: row.id,
    productId: row.product_id,
    variantId: row.variant_id,
    name: row.name,
    variantName: row.variant_name,
    sku: row.sku,
    vendor: row.vendor,
    tags: fromJson(row.tags),
  }
}

/** The totals of a product of the shop. `attached` and `assets` are missing or null if they were not counted. */
export interface GroupRow {
  product_id: number
  variants_total: number
  attached?: number | null
  assets?: number | null
}

/**
 * Groups variants by the product of the shop, in the order of the IDs. `attached` has stopped counting after
 * `attachments` + 1.
 */
export function toProductGroups(
  productIds: number[],
  { rows, totals }: { rows: ProductRow[]; totals: GroupRow[] },
  { attachments, ofAsset }: Parameters<AccountData['readProductGroups']>[1],
): ProductGroup[] {
  const byId = new Map(totals.map((row) => [row.product_id, row]))
  const variantsById = Map.groupBy(rows, (row) => row.product_id)
  return productIds.flatMap((productId) => {
    const variants = variantsById.get(productId)
    if (variants === undefined) return []
    const row = byId.get(productId)
    const assetsTotal = (row?.attached ?? 0) > attachments ? null : (row?.assets ?? 0)
    return {
      productId,
      variants: variants.map(toProduct),
      // The two statements of PostgreSQL may see different states.
      variantsTotal: Math.max(row?.variants_total ?? 0, variants.length),
      ...(ofAsset === undefined && { assetsTotal }),
    }
  })
}

/** The columns by which a selection finds products. */
export type SelectedRow = Pick<ProductRow, 'id' | 'product_id' | 'variant_id' | 'sku'>

/** The selectors that match none of the found products. */
export function unknownProducts(
  selection: ProductSelection,
  found: readonly SelectedRow[],
): { unknown: ProductSelection; isComplete: boolean } {
  const missing = <Id>(selected: Id[], idOf: (row: SelectedRow) => Id) => {
    const known = new Set(found.map(idOf))
    return selected.filter((id) => !known.has(id))
  }
  const unknown = {
    productIds: missing(selection.productIds, (row) => row.product_id),
    variantIds: missing(selection.variantIds, (row) => row.variant_id),
    ids: missing(selection.ids, (row) => row.id),
    skus: missing(selection.skus, (row) => row.sku),
  }
  return { unknown, isComplete: Object.values(unknown).every((ids) => ids.length === 0) }
}

/** The outcome for a single asset of a change that can also change several. */
export function outcomeOfOne(result: AssetsAttachmentOutcome): AttachmentOutcome {
  if (result.outcome === 'assets_not_found') return { outcome: 'asset_not_found' }
  if (result.outcome === 'done') return { outcome: 'done' }
  if (result.outcome !== 'too_many_attachments') return result
  throw new Error('one asset can be attached to any number of products')
}

/** Converts attached rows and groups them by the row that they are attached to. */
export function groupByOwner<Row extends { owner_id: string }, Value>(
  rows: Row[],
  convert: (row: Row) => Value,
): Map<string, Value[]> {
  const groups = Map.groupBy(rows, (row) => row.owner_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(convert)]))
}
