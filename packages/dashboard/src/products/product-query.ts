import { readPage, readText } from '../components/url-query.ts'

/** The filters and the page of the list of products, as in the URL. */
export interface ProductQuery {
  search: string
  sku: string
  vendor: string
  tag: string
  page: number
}

export type ProductFilter = Exclude<keyof ProductQuery, 'page'>

export const FILTERS: readonly ProductFilter[] = ['search', 'sku', 'vendor', 'tag']
export const NO_FILTERS: Record<ProductFilter, string> = {
  search: '',
  sku: '',
  vendor: '',
  tag: '',
}

/** Missing and invalid parameters get their defaults. */
export function readProductQuery(search: string): ProductQuery {
  const params = new URLSearchParams(search)
  return {
    search: readText(params, 'search'),
    sku: readText(params, 'sku'),
    vendor: readText(params, 'vendor'),
    tag: readText(params, 'tag'),
    page: readPage(params),
  }
}

/** The URL contains only parameters that differ from their defaults. */
export function productsUrl({ page = 1, ...filters }: Partial<ProductQuery>): string {
  const params = Object.entries(filters).filter(([, value]) => value !== '')
  if (page > 1) params.push(['page', String(page)])
  return params.length === 0 ? '/products' : `/products?${new URLSearchParams(params)}`
}

export function activeFilters(query: ProductQuery): ProductFilter[] {
  return FILTERS.filter((filter) => query[filter] !== '')
}
