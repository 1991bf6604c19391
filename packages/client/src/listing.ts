import type { PageMeta } from '@stowage/protocol'
import { type Call, type Request, splitSettings } from './request.ts'

/** A page of a list with these items. */
export type PageWith<Page, Item> = Omit<Page, 'data'> & { data: Item[] }

export interface Page<Item> {
  data: Item[]
  meta: PageMeta
}

/**
 * A list that is read page by page. `for await` returns every item that stays in the list exactly once,
 * even if others are added, changed or deleted meanwhile.
 */
export interface Listing<Item, OnePage extends Page<Item>> extends AsyncIterable<Item> {
  /** Returns one page with its `meta` and `links`. Default: the page that the query selects, or the first. */
  page(number?: number): Promise<OnePage>
}

/** The longest page that the service returns, to make the fewest requests. */
const ITERATION_LIMIT = 1000

/** Makes no request until the first item or page is read. */
export function createListing<Item, OnePage extends Page<Item>>(
  request: Request,
  { path, filters = '' }: { path: string; filters?: string | undefined },
  given: { limit?: number; page?: number; after?: string } & Call = {},
): Listing<Item, OnePage> {
  const call = splitSettings(`limit page after ${filters}`.trim(), given)
  const read = (query: Record<string, unknown>) =>
    request.json<OnePage>(path, { ...call, query: { ...call.query, ...query } })
  return {
    page: (page = given.page) => read({ page }),
    async *[Symbol.asyncIterator]() {
      const { limit = ITERATION_LIMIT } = given
      // A longer first page would start at another item: page 2 of 25 items starts at item 26.
      let page: OnePage = await read(given.page === undefined ? { limit } : {})
      yield* page.data
      while (page.meta.next_after) {
        page = await read({ limit, page: undefined, after: page.meta.next_after })
        yield* page.data
      }
    },
  }
}
