/** The service takes no more. */
export const LONGEST_FILTER = 255

/** What the address says, as far as the service takes it. */
export function readText(given: URLSearchParams, name: string): string {
  return (given.get(name) ?? '').slice(0, LONGEST_FILTER)
}

/** Nonsense is the first page. */
export function readPage(given: URLSearchParams): number {
  const page = Number(given.get('page') ?? 1)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}
