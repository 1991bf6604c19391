import { firstWords, readPage, readText } from '../components/url-query.ts'

/** The search, filter, order and page of the list of assets, as in the URL. */
export interface AssetQuery {
  search: string
  show: Show
  /** The shop's ID of a product; empty for all assets. */
  product: string
  /** A folder, including its subfolders; empty for all assets. */
  path: string
  /** False: without the subfolders of the folder. Without a folder, only the assets that are in none. */
  below: boolean
  /** Empty for all assets. */
  tag: string
  /** Of the assets without a product: suggests a product for each. */
  suggest: boolean
  sort: Sort
  page: number
}

const SHOWS = ['all', 'files', 'urls', 'no-product'] as const
export type Show = (typeof SHOWS)[number]
export type SortField = 'created_at' | 'filename' | 'bytes'
export type Sort = SortField | `-${SortField}`

const SORTS: Sort[] = ['created_at', '-created_at', 'filename', '-filename', 'bytes', '-bytes']
const DEFAULTS: AssetQuery = {
  search: '',
  show: 'all',
  product: '',
  path: '',
  below: true,
  tag: '',
  suggest: false,
  sort: '-created_at',
  page: 1,
}

/** Missing and invalid parameters get their defaults. */
export function readAssetQuery(search: string): AssetQuery {
  const params = new URLSearchParams(search)
  return {
    search: readText(params, 'search'),
    show: SHOWS.find((show) => show === params.get('show')) ?? DEFAULTS.show,
    product: /^\d{1,15}$/.exec(params.get('product') ?? '')?.[0] ?? '',
    path: readPath(params.get('path') ?? ''),
    below: params.get('below') !== 'false',
    tag: readText(params, 'tag'),
    suggest: params.get('show') === 'no-product' && params.get('suggest') === 'true',
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? DEFAULTS.sort,
    page: readPage(params),
  }
}

/** Ignores a path that the service would refuse. */
function readPath(path: string): string {
  const isValid =
    path.length <= 512 && path.split('/').every((folder) => !/^(\.{0,2})$/.test(folder))
  return isValid ? path : ''
}

/** The URL contains only parameters that differ from their defaults. */
export function assetsUrl(query: AssetQuery): string {
  const params = Object.entries(query)
    .filter(([name, value]) => value !== DEFAULTS[name as keyof AssetQuery])
    .map(([name, value]) => [name, String(value)])
  return params.length === 0 ? '/' : `/?${new URLSearchParams(params)}`
}

export const NO_FILTERS = {
  search: '',
  show: 'all',
  product: '',
  path: '',
  below: true,
  tag: '',
  suggest: false,
} as const

export function isFiltered({ search, show, product, path, below, tag }: AssetQuery): boolean {
  const hasFolder = path !== '' || !below
  return search !== '' || show !== 'all' || product !== '' || hasFolder || tag !== ''
}

const FILTERS: Record<Show, { type?: 'file' | 'link'; attached?: boolean }> = {
  all: {},
  files: { type: 'file' },
  urls: { type: 'link' },
  'no-product': { attached: false },
}

/** The query as parameters of the API, without the page. */
export function assetFilters({ search, show, product, path, below, tag, sort }: AssetQuery) {
  return {
    ...FILTERS[show],
    ...(search !== '' && { search: firstWords(search) }),
    ...(product !== '' && { product_id: Number(product) }),
    ...(path !== '' && { path }),
    ...(!below && { below }),
    ...(tag !== '' && { tag }),
    sort,
  }
}

/** The first click sorts names ascending and everything else descending; the second reverses the order. */
export function nextSort(current: Sort, field: SortField): Sort {
  const first: Sort = field === 'filename' ? field : `-${field}`
  const second: Sort = field === 'filename' ? `-${field}` : field
  return current === first ? second : first
}
