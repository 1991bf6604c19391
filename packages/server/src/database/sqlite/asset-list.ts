import type { Asset } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { chooseStrategy, isFarPage } from '../listing/choose-strategy.ts'
import { prepareAssetBlocks } from './asset-blocks.ts'
import { type AssetFilter, afterCursor, filterOf, orderOf } from './asset-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import { prepareSmallResults } from './small-results.ts'
import type { Connection } from './statement.ts'

const READY = `account_id = :account and status = 'ready'`

export function prepareAssetList(connection: Connection) {
  const { prepare } = connection
  const blocks = prepareAssetBlocks(connection)
  const findSmallResult = prepareSmallResults(connection)
  const assetCount = prepare<{ total: number }>(
    'select asset_count as total from accounts where id = :account',
  )

  /** Skips rows one by one, from the nearer end of the list. */
  function readPage(
    account: string,
    query: AssetQuery,
    { filter, total }: { filter: AssetFilter; total: number },
  ): Asset[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { by, descending } = query.sort
    const cursor = afterCursor(query)
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

  function listAll(account: string, query: AssetQuery, filter: AssetFilter) {
    const total = assetCount.get({ account })?.total ?? 0
    const { offset } = rowRangeOf(query, total)
    if (isFarPage(query, offset)) return countBlocks(account, query, filter)
    return { rows: readPage(account, query, { filter, total }), total }
  }

  function countRows(account: string, query: AssetQuery, filter: AssetFilter): Rows<Asset> {
    const count = prepare<{ total: number }>(
      `select count(*) as total from assets where ${[READY, ...filter.conditions].join(' and ')}`,
    )
    const total = count.get({ account, ...filter.parameters })?.total ?? 0
    return { rows: readPage(account, query, { filter, total }), total }
  }

  function countBlocks(account: string, query: AssetQuery, filter: AssetFilter) {
    return blocks.withCounts(account, { query, filter }, (counts): Rows<Asset> => {
      const { total } = counts
      const rows =
        query.sort.by === 'created_at'
          ? blocks.readPage(account, query, { filter, counts })
          : readPage(account, query, { filter, total })
      return { rows, total }
    })
  }

  return {
    listAssets(account: string, query: AssetQuery): Promise<Rows<Asset>> {
      const filter = filterOf(query)
      return chooseStrategy(query, {
        listAll: () => listAll(account, query, filter),
        findSmallResult: () => findSmallResult(account, query, filter),
        countRows: () => countRows(account, query, filter),
        countBlocks: () => countBlocks(account, query, filter),
        hasBlockCounts: () => blocks.hasCounts(account, query),
      })
    },
  }
}
