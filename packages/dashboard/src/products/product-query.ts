import { firstWords, readPage, readText } from '../components/url-query.ts'

/** The filters, the order and the page of the list of products, as in the URL. */
export interface ProductQuery {
  search: string
  sku: string
  vendor: string
  tag: string
  show: Show
  sort: Sort
  page: number
}

const SHOWS = ['all', 'without-files'] as const
export type Show = (typeof SHOWS)[number]
const SORTS = ['-product_id', 'name', '-name', 'sku', '-sku'] as const
export type Sort = (typeof SORTS)[number]
export type SortField = 'name' | 'sku'

export type TextFilter = 'search' | 'sku' | 'vendor' | 'tag'
export type ProductFilter = TextFilter | 'show'

const FILTERS: readonly ProductFilter[] = ['search', 'sku', 'vendor', 'tag', 'show']
export const NO_FILTERS: Pick<ProductQuery, ProductFilter> = {
  search: '',
  sku: '',
  vendor: '',
  tag: '',
  show: 'all',
}
const DEFAULTS: ProductQuery = { ...NO_FILTERS, sort: '-product_id', page: 1 }

/** Missing and invalid parameters get their defaults. */
export function readProductQuery(search: string): ProductQuery {
  const params = new URLSearchParams(search)
  return {
    search: readText(params, 'search'),
    sku: readText(params, 'sku'),
    vendor: readText(params, 'vendor'),
    tag: readText(params, 'tag'),
    show: SHOWS.find((show) => show === params.get('show')) ?? DEFAULTS.show,
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? DEFAULTS.sort,
    page: readPage(params),
  }
}

/** The URL contains only parameters that differ from their defaults. */
export function productsUrl(query: Partial<ProductQuery>): string {
  const params = Object.entries(query)
    .filter(([name, value]) => value !== DEFAULTS[name as keyof ProductQuery])
    .map(([name, value]) => [name, String(value)])
  return params.length === 0 ? '/products' : `/products?${new URLSearchParams(params)}`
}

export function activeFilters(query: ProductQuery): ProductFilter[] {
  return FILTERS.filter((filter) => query[filter] !== NO_FILTERS[filter])
}

/** The query as parameters of the API, without the page. */
export function productFilters(query: ProductQuery) {
  const { search, show, sort } = query
  const texts = activeFilters(query).filter((name) => name !== 'search' && name !== 'show')
  return {
    ...Object.fromEntries(texts.map((name) => [name, query[name]])),
    ...(search !== '' && { search: firstWords(search) }),
    ...(show === 'without-files' && { has_assets: false }),
    sort,
  }
}

/** The first click sorts ascending, the second descending, and the third as before. */
export function nextSort(current: Sort, field: SortField): Sort {
  if (current === field) return `-${field}`
  return current === `-${field}` ? DEFAULTS.sort : field
}
