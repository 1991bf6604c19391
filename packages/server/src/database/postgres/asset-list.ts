import type { Asset } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { AccountData, AssetQuery, Rows } from '../account-data.ts'
import { chooseStrategy, isFarPage, MAX_SKIPPED_ROWS } from '../listing/choose-strategy.ts'
import type { CountsCache } from '../listing/counts-cache.ts'
import { assetBlocks } from './asset-blocks.ts'
import { afterCursor, conditionsOf, orderOf } from './asset-filter.ts'
import { inSnapshot, type Sql } from './connection.ts'
import { type AssetRow, assetColumns, type ListedRow, listedAt, toAsset } from './rows.ts'
import { type SmallResultCache, smallResults } from './small-results.ts'
import { allOf, type Fragment } from './statement.ts'

type CountedRow = AssetRow & { total: number }

/** The caches that the listings of all accounts share. */
export interface ListingCaches {
  counts: CountsCache
  smallResults: SmallResultCache
}

export function accountAssetList(
  sql: Sql,
  account: string,
  caches: ListingCaches,
): Pick<AccountData, 'listAssets'> {
  const blocks = assetBlocks(sql, account, caches.counts)
  const findSmallResult = smallResults(sql, account, caches.smallResults)
  const ready = sql`account_id = ${account} and status = 'ready'`
  const columns = assetColumns(sql)

  /** Skips rows one by one, from the nearer end of the list. */
  async function readPage(query: AssetQuery, filter: Fragment[], total: number) {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { by, descending } = query.sort
    const order = orderOf(sql, { by, descending: descending !== isFromEnd })
    const conditions = [ready, ...filter, ...afterCursor(sql, query)]
    // The subquery skips rows by reading only the index, not the table.
    const rows = await sql<ListedRow[]>`
      select ${columns}, ${listedAt(sql, account)} from assets
      where id = any(array(
        select id from assets where ${allOf(sql, conditions)}
        order by ${order} limit ${limit} offset ${offset}))
      order by ${order}`
    return isFromEnd ? [...rows].reverse() : [...rows]
  }

  async function readTotal(): Promise<number> {
    const [row] = await sql<{ total: number }[]>`
      select asset_count as total from accounts where id = ${account}`
    return row?.total ?? 0
  }

  async function listAll(query: AssetQuery): Promise<Rows<Asset>> {
    const offset = query.after === undefined ? (query.page - 1) * query.perPage : 0
    if (isFarPage(query, offset)) return countBlocks(query)
    if (offset <= MAX_SKIPPED_ROWS) {
      const conditions = [ready, ...afterCursor(sql, query)]
      const rows = await sql<CountedRow[]>`
        select ${columns}, (select asset_count from accounts where id = ${account}) as total
        from assets where ${allOf(sql, conditions)}
        order by ${orderOf(sql, query.sort)} limit ${query.perPage} offset ${offset}`
      return { rows: rows.map(toAsset), total: rows[0]?.total ?? (await readTotal()) }
    }
    return inSnapshot(sql, async () => {
      const total = await readTotal()
      return { rows: (await readPage(query, [], total)).map(toAsset), total }
    })
  }

  /** The count and the page are read in one snapshot: an asset that is added in between would shift the page. */
  function countRows(query: AssetQuery): Promise<Rows<Asset>> {
    const filter = conditionsOf(sql, account, query, 'index')
    return inSnapshot(sql, async () => {
      const [row] = await sql<{ total: number }[]>`
        select count(*) as total from assets where ${allOf(sql, [ready, ...filter])}`
      const total = row?.total ?? 0
      return { rows: (await readPage(query, filter, total)).map(toAsset), total }
    })
  }

  function countBlocks(query: AssetQuery): Promise<Rows<Asset>> {
    // The trigram index would be read again for each block.
    const filter = conditionsOf(sql, account, query, 'scan')
    return blocks.withCounts(query, filter, (counts) =>
      query.sort.by === 'created_at'
        ? blocks.readPage(query, filter, counts)
        : readPage(query, filter, counts.total),
    )
  }

  return {
    listAssets: (query) =>
      chooseStrategy(query, {
        listAll: () => listAll(query),
        findSmallResult: () => findSmallResult(query),
        countRows: () => countRows(query),
        countBlocks: () => countBlocks(query),
        hasBlockCounts: () => blocks.hasCounts(query),
      }),
  }
}
