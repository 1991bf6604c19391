import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { filterKey } from '../listing/asset-filters.ts'
import {
  addBlocks,
  BLOCKS_PER_STATEMENT,
  type BlockCounts,
  type CountedBlock,
  isComplete,
  MAX_ID,
} from '../listing/block-counts.ts'
import type { CountsCache } from '../listing/counts-cache.ts'
import { locatePage } from '../listing/locate-page.ts'
import { afterCursor } from './asset-filter.ts'
import { inSnapshot, type Sql } from './connection.ts'
import { assetColumns, type ListedRow, listedAt, toAsset } from './rows.ts'
import { allOf, type Fragment } from './statement.ts'

/** Counts the matches of a filter block by block, and caches the counts. */
export function assetBlocks(sql: Sql, account: string, cache: CountsCache) {
  const ready = sql`account_id = ${account} and status = 'ready'`

  async function countMore(counts: BlockCounts, conditions: Fragment[]): Promise<BlockCounts> {
    // If the counts are complete, blocks are read only after the account's revision has changed.
    const changedFrom = counts.revision + (isComplete(counts) ? 1 : 0)
    const changed = sql`
      select first_id, revision, assets, (
          select first_id from asset_blocks next
          where next.account_id = ${account} and next.first_id > b.first_id
          order by next.first_id limit 1
        ) as next_id
      from asset_blocks b
      where (select revision from accounts where id = ${account}) >= ${changedFrom}
        and account_id = ${account} and (revision, first_id) > (${counts.revision}, ${counts.block})
      order by revision, first_id limit ${BLOCKS_PER_STATEMENT}`
    const blocks = await (conditions.length === 0
      ? sql<CountedBlock[]>`
          select first_id, revision, assets as matching from (${changed}) changed`
      : sql<CountedBlock[]>`
          select first_id, revision, (
            select count(*) from assets
            where ${ready} and id >= changed.first_id
              and id < coalesce(changed.next_id, ${MAX_ID})
              and ${allOf(sql, conditions)}
          ) as matching
          from (${changed}) changed`)
    return addBlocks(counts, blocks, { areAll: blocks.length < BLOCKS_PER_STATEMENT })
  }

  async function countAll(key: string, conditions: Fragment[]): Promise<BlockCounts> {
    for (;;) {
      const counts = await countMore(cache.get(account, key), conditions)
      cache.set(account, key, counts)
      if (isComplete(counts)) return counts
    }
  }

  return {
    hasCounts: (query: AssetQuery): boolean =>
      cache.get(account, filterKey(query)).matching.size > 0,

    /**
     * Reads rows that match the counts. While nothing changes this is one statement, which also returns
     * the revision that it saw. Otherwise the counts and the rows are read in one snapshot.
     */
    async withCounts(
      query: AssetQuery,
      conditions: Fragment[],
      read: (counts: BlockCounts) => Promise<ListedRow[]>,
    ): Promise<Rows<Asset>> {
      const key = filterKey(query)
      const known = cache.get(account, key)
      if (isComplete(known) && known.total > 0) {
        const rows = await read(known)
        if (rows[0]?.listed_at === known.revision) {
          return { rows: rows.map(toAsset), total: known.total }
        }
      }
      // Most blocks are counted before the snapshot. Within it, only the blocks that changed meanwhile are counted.
      if (!isComplete(known) || known.total === 0) {
        await cache.countOnce(account, key, async () => {
          await countAll(key, conditions)
        })
      }
      return inSnapshot(sql, async () => {
        const counts = await countAll(key, conditions)
        const rows = await read(counts)
        return { rows: rows.map(toAsset), total: counts.total }
      })
    },

    /** Reads a page ordered by ID, from the blocks that contain it. */
    async readPage(
      query: AssetQuery,
      conditions: Fragment[],
      counts: BlockCounts,
    ): Promise<ListedRow[]> {
      const { descending } = query.sort
      const location = locatePage(counts, { ...query, descending })
      if (location === undefined) return []
      const { from, until = MAX_ID, isFromEnd, offset, limit } = location
      const within = [
        ready,
        sql`id >= ${from}`,
        sql`id < ${until}`,
        ...conditions,
        ...afterCursor(sql, query),
      ]
      const order = sql`order by id ${isFromEnd ? sql`desc` : sql`asc`}`
      // The subquery skips rows by reading only the index, not the table.
      const rows = await sql<ListedRow[]>`
        select ${assetColumns(sql)}, ${listedAt(sql, account)} from assets
        where id = any(array(
          select id from assets where ${allOf(sql, within)}
          ${order} limit ${limit} offset ${offset}))
        ${order}`
      return isFromEnd === descending ? [...rows] : [...rows].reverse()
    },
  }
}
