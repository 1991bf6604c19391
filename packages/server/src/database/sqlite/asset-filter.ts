import { folderRange } from '../../domain/asset-path.ts'
import type { AssetQuery, AssetSort } from '../account-data.ts'
import { SORT_COLUMNS } from '../listing/sort-columns.ts'
import { wordFilter } from './word-filter.ts'

export interface AssetFilter {
  /** To be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
}

export function orderOf({ by, descending }: AssetSort): string {
  return SORT_COLUMNS[by].map((column) => `${column} ${descending ? 'desc' : 'asc'}`).join(', ')
}

/** The filters by product: the parameter, and the condition for the product `p`. */
export const PRODUCT_CONDITIONS = [
  ['sku', 'p.sku = :sku'],
  ['product_id', 'p.product_id = :product_id'],
  ['of_product', 'p.id = :of_product'],
] as const

/** Matches assets that are attached to a product that meets the condition. */
function attachedTo(condition: string): string {
  return `exists (
    select 1 from asset_products l cross join products p on p.seq = l.product_seq
    where l.asset_seq = assets.seq and p.account_id = :account and ${condition})`
}

export function filterOf(query: AssetQuery): AssetFilter {
  const conditions: string[] = []
  const parameters: AssetFilter['parameters'] = {}
  const add = (name: string, value: string | number | undefined, condition: string) => {
    if (value === undefined) return
    conditions.push(condition)
    parameters[name] = value
  }
  add('name', query.name, 'instr(search_name, :name) > 0')
  add('kind', query.kind, 'kind = :kind')
  const attached = query.attached === undefined ? undefined : Number(query.attached)
  add('attached', attached, 'linked = :attached')
  const ofProducts = { sku: query.sku, product_id: query.productId, of_product: query.ofProduct }
  for (const [name, condition] of PRODUCT_CONDITIONS) {
    add(name, ofProducts[name], attachedTo(condition))
  }
  if (query.folder !== undefined) {
    // The plus keeps SQLite from reading the whole folder again for each block.
    conditions.push('folder is not null', '+folder >= :folder_from', '+folder < :folder_until')
    const { from, until } = folderRange(query.folder)
    Object.assign(parameters, { folder_from: from, folder_until: until })
  }
  const words = wordFilter(query.words ?? [])
  return {
    conditions: [...conditions, ...words.conditions],
    parameters: { ...parameters, ...words.parameters },
  }
}

/** Matches the rows after the query's cursor, in its sort order. Without a cursor all rows match. */
export function afterCursor({ sort, after }: AssetQuery): AssetFilter {
  if (after === undefined) return { conditions: [], parameters: {} }
  const sign = sort.descending ? '<' : '>'
  if (after.value === undefined) {
    return { conditions: [`id ${sign} :after_id`], parameters: { after_id: after.id } }
  }
  return {
    conditions: [`(${SORT_COLUMNS[sort.by].join(', ')}) ${sign} (:after_value, :after_id)`],
    parameters: { after_value: after.value, after_id: after.id },
  }
}
