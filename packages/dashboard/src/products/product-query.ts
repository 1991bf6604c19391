import { readPage, readText } from '../components/url-query.ts'

/** What of the products is looked at, as the address bar says it. */
export interface ProductQuery {
  name: string
  sku: string
  vendor: string
  tag: string
  page: number
}

export type ProductFilter = Exclude<keyof ProductQuery, 'page'>

export const FILTERS: readonly ProductFilter[] = ['name', 'sku', 'vendor', 'tag']
export const NO_FILTERS: Record<ProductFilter, string> = { name: '', sku: '', vendor: '', tag: '' }

/** What an address does not say, or says wrongly, is as at first. */
export function readProductQuery(address: string): ProductQuery {
  const given = new URLSearchParams(address)
  return {
    name: readText(given, 'name'),
    sku: readText(given, 'sku'),
    vendor: readText(given, 'vendor'),
    tag: readText(given, 'tag'),
    page: readPage(given),
  }
}

/** The shortest address that says it. */
export function productsAddress({ page = 1, ...filters }: Partial<ProductQuery>): string {
  const said = Object.entries(filters).filter(([, value]) => value !== '')
  if (page > 1) said.push(['page', String(page)])
  return said.length === 0 ? '/products' : `/products?${new URLSearchParams(said)}`
}

/** Those that are set. */
export function activeFilters(query: ProductQuery): ProductFilter[] {
  return FILTERS.filter((filter) => query[filter] !== '')
}
