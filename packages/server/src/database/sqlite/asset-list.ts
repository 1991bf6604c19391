import type { Asset } from '../../domain/asset.ts'
import { stretchOf } from '../../domain/paging.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { prepareAssetBlocks } from './asset-blocks.ts'
import { type AssetFilter, behindCursor, filterOf, isOfProducts, orderOf } from './asset-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import { prepareFewAssets } from './small-results.ts'
import type { Connection } from './statement.ts'

const READY = `account_id = :account and status = 'ready'`
/** Up to so many rows are skipped sooner than blocks are looked up. */
const NEAR = 2000

export function prepareAssetList(connection: Connection) {
  const { prepare } = connection
  const blocks = prepareAssetBlocks(connection)
  const listFew = prepareFewAssets(connection)
  const counted = prepare<{ total: number }>(
    'select asset_count as total from accounts where id = :account',
  )

  /** Rows are skipped one by one, from whichever end is nearer. */
  function readPage(
    account: string,
    query: AssetQuery,
    found: { filter: AssetFilter; total: number },
  ): Asset[] {
    const { filter, total } = found
    const { isFromEnd, offset, limit } = stretchOf(query, total)
    if (limit === 0) return []
    const { by, descending } = query.sort
    const cursor = behindCursor(query)
    const conditions = [READY, ...filter.conditions, ...cursor.conditions]
    const page = prepare<ListedRow>(
      `select ${LISTED_COLUMNS} from assets where ${conditions.join(' and ')}
       order by ${orderOf({ by, descending: descending !== isFromEnd })}
       limit +:limit offset :offset`,
    )
    const rows = page
      .all({ account, ...filter.parameters, ...cursor.parameters, limit, offset })
      .map(toListedAsset(account))
    return isFromEnd ? rows.reverse() : rows
  }

  function listWithoutFilter(account: string, query: AssetQuery, filter: AssetFilter) {
    const total = counted.get({ account })?.total ?? 0
    const isFar = stretchOf(query, total).offset > NEAR
    if (isFar && query.sort.by === 'created_at') return listByBlocks(account, query, filter)
    return { rows: readPage(account, query, { filter, total }), total }
  }

  /** Assets of certain products are few enough to be counted each time. */
  function listOfProducts(account: string, query: AssetQuery, filter: AssetFilter) {
    const count = prepare<{ total: number }>(
      `select count(*) as total from assets where ${[READY, ...filter.conditions].join(' and ')}`,
    )
    const total = count.get({ account, ...filter.parameters })?.total ?? 0
    return { rows: readPage(account, query, { filter, total }), total }
  }

  function listByBlocks(account: string, query: AssetQuery, filter: AssetFilter) {
    return blocks.withTally(account, filter, (tally): Rows<Asset> => {
      const { total } = tally
      const rows =
        query.sort.by === 'created_at'
          ? blocks.readPage(account, query, { filter, tally })
          : readPage(account, query, { filter, total })
      return { rows, total }
    })
  }

  return {
    listAssets(account: string, query: AssetQuery): Rows<Asset> | Promise<Rows<Asset>> {
      const filter = filterOf(query)
      if (filter.conditions.length === 0) return listWithoutFilter(account, query, filter)
      const few = blocks.isKnown(account, filter) ? undefined : listFew(account, query, filter)
      if (few !== undefined) return few
      const list = isOfProducts(query) ? listOfProducts : listByBlocks
      return list(account, query, filter)
    },
  }
}
