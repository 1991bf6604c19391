import { readPage, readText } from '../components/url-query.ts'

/** The search, filter, order and page of the list of assets, as in the URL. */
export interface AssetQuery {
  search: string
  show: Show
  sort: Sort
  page: number
}

export const SHOWS = ['all', 'files', 'urls', 'no-product'] as const
export type Show = (typeof SHOWS)[number]
export type SortField = 'created_at' | 'filename' | 'bytes'
export type Sort = SortField | `-${SortField}`

const SORTS: Sort[] = ['created_at', '-created_at', 'filename', '-filename', 'bytes', '-bytes']
const DEFAULTS: AssetQuery = { search: '', show: 'all', sort: '-created_at', page: 1 }

/** Missing and invalid parameters get their defaults. */
export function readAssetQuery(search: string): AssetQuery {
  const params = new URLSearchParams(search)
  return {
    search: readText(params, 'search'),
    show: readShow(params.get('show')),
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? DEFAULTS.sort,
    page: readPage(params),
  }
}

/** Earlier versions used other names, which bookmarks may contain. */
function readShow(name: string | null): Show {
  if (name === 'links') return 'urls'
  if (name === 'unlinked') return 'no-product'
  return SHOWS.find((show) => show === name) ?? DEFAULTS.show
}

/** The URL contains only parameters that differ from their defaults. */
export function assetsUrl(query: AssetQuery): string {
  const params = Object.entries(query)
    .filter(([name, value]) => value !== DEFAULTS[name as keyof AssetQuery])
    .map(([name, value]) => [name, String(value)])
  return params.length === 0 ? '/' : `/?${new URLSearchParams(params)}`
}

export function isFiltered({ search, show }: AssetQuery): boolean {
  return search !== '' || show !== 'all'
}

const FILTERS: Record<Show, { type?: 'file' | 'link'; linked?: boolean }> = {
  all: {},
  files: { type: 'file' },
  urls: { type: 'link' },
  'no-product': { linked: false },
}

/** The query as parameters of the API, without the page. */
export function assetFilters({ search, show, sort }: AssetQuery) {
  return { ...FILTERS[show], ...(search !== '' && { filename: search }), sort }
}

/** The first click sorts names ascending and everything else descending; the second reverses the order. */
export function nextSort(current: Sort, field: SortField): Sort {
  const first: Sort = field === 'filename' ? field : `-${field}`
  const second: Sort = field === 'filename' ? `-${field}` : field
  return current === first ? second : first
}
