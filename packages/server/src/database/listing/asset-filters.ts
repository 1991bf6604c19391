import type { AssetQuery } from '../account-data.ts'

function filtersOf({ words, name, kind, attached, sku, productId, ofProduct, folder }: AssetQuery) {
  return [words, name, kind, attached, sku, productId, ofProduct, folder]
}

export function isFiltered(query: AssetQuery): boolean {
  return filtersOf(query).some((filter) => filter !== undefined)
}

/** Whether the query lists the assets of certain products. */
export function isByProduct({ sku, productId, ofProduct }: AssetQuery): boolean {
  return [sku, productId, ofProduct].some((filter) => filter !== undefined)
}

/** The cache key of the query's filters, within its account. */
export function filterKey(query: AssetQuery): string {
  return JSON.stringify(filtersOf(query))
}
