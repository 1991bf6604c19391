import type * as wire from '@stowage/protocol'
import type { PagePosition } from '../../domain/paging.ts'

interface ListRequest {
  base: string
  /** The URL of the request. */
  url: string
  /** The schema of the query. */
  query: { properties: object }
}

/** A path that `URL` would not change, without a query. Parsing the URL and its parameters takes longer than all links. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/
const NO_PARAMETERS = new URLSearchParams()

/**
 * `url` is the URL of the request: every link keeps its parameters, except `page` and `after`. If the
 * request has a cursor, the link to the next page has one too.
 */
export function presentPage(
  position: PagePosition,
  { base, url, query }: ListRequest,
): { links: wire.PageLinks; meta: wire.PageMeta } {
  const { pathname, searchParams } = PLAIN_PATH.test(url)
    ? { pathname: url, searchParams: NO_PARAMETERS }
    : new URL(url, base)
  const path = base + pathname
  const urlOf = pageUrls(path, searchParams)
  const orNull = (page: number | undefined) => (page === undefined ? null : urlOf(page))
  const next = searchParams.has('after')
    ? urlAfterCursor(path, searchParams, position.nextAfter)
    : orNull(position.next)
  return {
    links: {
      first: urlOf(1),
      last: urlOf(position.lastPage),
      prev: orNull(position.previous),
      next,
    },
    meta: {
      current_page: position.page,
      from: position.from,
      to: position.to,
      last_page: position.lastPage,
      per_page: position.perPage,
      total: position.total,
      total_is_exact: position.atLeast === undefined,
      total_at_least: position.atLeast ?? position.total,
      path,
      links: [
        { url: orNull(position.previous), label: '« Previous', active: false },
        ...position.window.map((page) => ({
          url: urlOf(page),
          label: String(page),
          active: page === position.page,
        })),
        { url: next, label: 'Next »', active: false },
      ],
      next_after: position.nextAfter ?? null,
      ...presentIgnored(searchParams, query),
    },
  }
}

/** The parameters of a request that its list does not know. A mistyped filter would otherwise go unnoticed. */
export function presentIgnored(
  given: Iterable<[string, unknown]>,
  { properties }: ListRequest['query'],
): { ignored?: string[] } {
  const ignored = new Set<string>()
  for (const [name] of given) if (!Object.hasOwn(properties, name)) ignored.add(name)
  return ignored.size === 0 ? {} : { ignored: [...ignored] }
}

function urlAfterCursor(path: string, query: URLSearchParams, after: string | undefined) {
  if (after === undefined) return null
  const parameters = new URLSearchParams(query)
  parameters.set('after', after)
  return `${path}?${parameters}`
}

/** The URLs differ only in the page number, which keeps its position among the parameters. */
function pageUrls(path: string, query: URLSearchParams): (page: number) => string {
  if (query.size === 0) return (page) => `${path}?page=${page}`
  const pairs = [...query].filter(([name]) => name !== 'after')
  const names = pairs.map(([name]) => name)
  const at = names.includes('page') ? names.indexOf('page') : pairs.length
  const before = new URLSearchParams(pairs.slice(0, at))
  const after = new URLSearchParams(pairs.slice(at + 1))
  const head = `${path}?${before.size > 0 ? `${before}&` : ''}page=`
  const tail = after.size > 0 ? `&${after}` : ''
  return (page) => head + page + tail
}
