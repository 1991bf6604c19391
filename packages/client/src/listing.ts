import type { PageMeta } from '@stowage/protocol'
import { type CallSettings, type Request, splitSettings } from './request.ts'

interface Page<Item> {
  data: Item[]
  meta: PageMeta
}

/** `for await` walks every item, page by page; `page` gives one page with its `meta` and `links`. */
export interface Listing<Item, OnePage extends Page<Item>> extends AsyncIterable<Item> {
  page(number?: number): Promise<OnePage>
}

/** The largest page there is: the fewer pages, the less can move between them meanwhile. */
const WALK_LIMIT = 1000

/** Nothing is asked before the first item or page is. */
export function createListing<Item extends { id: string }, OnePage extends Page<Item>>(
  request: Request,
  path: string,
  given: { limit?: number } & CallSettings = {},
): Listing<Item, OnePage> {
  const call = splitSettings(given)
  const read = (wanted: Record<string, unknown>) =>
    request.json<OnePage>(path, { ...call, query: { ...call.query, ...wanted } })
  return {
    page: (number) => read({ page: number }),
    async *[Symbol.asyncIterator]() {
      let before = new Set<string>()
      for (let page = 1, last = 1; page <= last; page += 1) {
        const { data, meta } = await read({ limit: given.limit ?? WALK_LIMIT, page })
        // What is added meanwhile pushes items on to the next page: they are not given twice.
        for (const item of data) if (!before.has(item.id)) yield item
        before = new Set(data.map(({ id }) => id))
        last = meta.last_page
      }
    },
  }
}
