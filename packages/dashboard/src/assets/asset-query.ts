import { readPage, readText } from '../components/url-query.ts'

/** What of the assets is looked at, as the address bar says it. */
export interface AssetQuery {
  search: string
  show: Show
  sort: Sort
  page: number
}

export const SHOWS = ['all', 'files', 'links', 'unlinked'] as const
export type Show = (typeof SHOWS)[number]
export type SortField = 'created_at' | 'filename' | 'bytes'
export type Sort = SortField | `-${SortField}`

const SORTS: Sort[] = ['created_at', '-created_at', 'filename', '-filename', 'bytes', '-bytes']
const AT_FIRST: AssetQuery = { search: '', show: 'all', sort: '-created_at', page: 1 }

/** What an address does not say, or says wrongly, is as at first. */
export function readAssetQuery(address: string): AssetQuery {
  const given = new URLSearchParams(address)
  return {
    search: readText(given, 'search'),
    show: SHOWS.find((show) => show === given.get('show')) ?? AT_FIRST.show,
    sort: SORTS.find((sort) => sort === given.get('sort')) ?? AT_FIRST.sort,
    page: readPage(given),
  }
}

/** The shortest address that says it. */
export function assetsAddress(query: AssetQuery): string {
  const said = Object.entries(query)
    .filter(([name, value]) => value !== AT_FIRST[name as keyof AssetQuery])
    .map(([name, value]) => [name, String(value)])
  return said.length === 0 ? '/' : `/?${new URLSearchParams(said)}`
}

export function isFiltered({ search, show }: AssetQuery): boolean {
  return search !== '' || show !== 'all'
}

/** Clicked once it sorts as people mostly want it, clicked again the other way round. */
export function nextSort(now: Sort, field: SortField): Sort {
  const first: Sort = field === 'filename' ? field : `-${field}`
  const second: Sort = field === 'filename' ? `-${field}` : field
  return now === first ? second : first
}
