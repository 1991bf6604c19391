import { MAX_COUNTED_ATTACHMENTS, MAX_NESTED_VARIANTS } from '@stowage/protocol'
import type { ProductGroupQuery } from '../../database/account-data.ts'
import { type PagePosition, pagePosition, positionAfterCursor } from '../../domain/paging.ts'
import type { ProductGroup } from '../../domain/product-group.ts'
import type { AccountContext } from '../context.ts'
import { splitFilters, type TextFilters } from './split-filters.ts'

export type ProductGroupListRequest = Omit<ProductGroupQuery, keyof TextFilters | 'words'> &
  TextFilters

/** How many products one statement reads with their variants. */
const GROUPS_PER_STATEMENT = 25

/**
 * Lists the products of the shop. Their variants are read as `groups` is iterated, some products at a
 * time.
 */
export async function listProductGroups(
  { data }: AccountContext,
  request: ProductGroupListRequest,
): Promise<{ groups: AsyncGenerator<ProductGroup[]>; position: PagePosition }> {
  const { rest, filters } = splitFilters(request)
  const query: ProductGroupQuery = { ...rest, ...filters }
  const { after, perPage, ofAsset } = query
  // One more row shows whether another page follows.
  const more = after === undefined ? 0 : 1
  const { rows: found, total } = await data.listProductIds({ ...query, perPage: perPage + more })
  const rows = found.slice(0, perPage)
  const plain = pagePosition(query, total)
  const hasNext = after === undefined ? plain.next !== undefined : found.length > rows.length
  const nextAfter = hasNext ? rows.at(-1)?.productId.toString() : undefined

  async function* readGroups(): AsyncGenerator<ProductGroup[]> {
    for (let at = 0; at < rows.length; at += GROUPS_PER_STATEMENT) {
      const some = new Map(
        rows
          .slice(at, at + GROUPS_PER_STATEMENT)
          .map(({ productId, matching }) => [productId, matching]),
      )
      const groups = await data.readProductGroups([...some.keys()], {
        variants: MAX_NESTED_VARIANTS,
        attachments: MAX_COUNTED_ATTACHMENTS,
        ofAsset,
      })
      yield ofAsset === undefined
        ? groups
        : groups.map((group) => ({ ...group, attachedTotal: some.get(group.productId) ?? 0 }))
    }
  }

  return {
    groups: readGroups(),
    position:
      after === undefined
        ? { ...plain, nextAfter }
        : positionAfterCursor(query, { total, nextAfter }),
  }
}
