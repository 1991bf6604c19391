import { firstWords, readPage, readText } from '../components/url-query.ts'

/** The search and the page of the trash, as in the URL. */
export interface TrashQuery {
  search: string
  page: number
}

export function readTrashQuery(search: string): TrashQuery {
  const params = new URLSearchParams(search)
  return { search: readText(params, 'search'), page: readPage(params) }
}

/** The URL contains only parameters that differ from their defaults. */
export function trashUrl({ search, page }: TrashQuery): string {
  const params = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(page > 1 && { page: `${page}` }),
  })
  return params.size === 0 ? '/trash' : `/trash?${params}`
}

/** The query as parameters of the API, without the page. */
export function trashFilters({ search }: TrashQuery) {
  return { trashed: true, ...(search !== '' && { search: firstWords(search) }) }
}
