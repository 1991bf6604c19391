/** The maximum length of a filter that the service accepts. */
export const MAX_FILTER_LENGTH = 255

/** The text, truncated to the length that the service accepts. */
export function readText(params: URLSearchParams, name: string): string {
  return (params.get(name) ?? '').slice(0, MAX_FILTER_LENGTH)
}

/** The maximum number of words in a search that the service accepts. */
const MAX_WORDS = 20

export function firstWords(search: string): string {
  return search.split(/\s+/).slice(0, MAX_WORDS).join(' ')
}

/** An invalid page number means the first page. */
export function readPage(params: URLSearchParams): number {
  const page = Number(params.get('page') ?? 1)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}
