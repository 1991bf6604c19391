import type { PageMeta } from '@stowage/protocol'
import { type Call, type Request, splitSettings } from './request.ts'

interface Page<Item> {
  data: Item[]
  meta: PageMeta
}

/**
 * `for await` walks every item: each that stays in the list is given once, whatever is added, changed
 * or deleted meanwhile. `page` gives one page with its `meta` and `links`.
 */
export interface Listing<Item, OnePage extends Page<Item>> extends AsyncIterable<Item> {
  page(number?: number): Promise<OnePage>
}

/** The largest page there is: the fewest requests. */
const WALK_LIMIT = 1000

/** Makes no request before the first item or page is asked for. */
export function createListing<Item, OnePage extends Page<Item>>(
  request: Request,
  path: string,
  given: { limit?: number; after?: string } & Call = {},
): Listing<Item, OnePage> {
  const call = splitSettings(given)
  const read = (wanted: Record<string, unknown>) =>
    request.json<OnePage>(path, { ...call, query: { ...call.query, ...wanted } })
  return {
    page: (page) => read({ page }),
    async *[Symbol.asyncIterator]() {
      let after: string | null | undefined = given.after
      do {
        const page: OnePage = await read({
          limit: given.limit ?? WALK_LIMIT,
          page: undefined,
          after,
        })
        yield* page.data
        after = page.meta.next_after
      } while (after)
    },
  }
}
