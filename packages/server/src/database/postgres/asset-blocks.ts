import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import {
  addToTally,
  type CountedBlock,
  isComplete,
  placeOf,
  type Tally,
} from '../listing/block-counts.ts'
import type { Tallies } from '../listing/counts-cache.ts'
import { behindCursor } from './asset-filter.ts'
import { atOneMoment, type Sql } from './connection.ts'
import { type ListedRow, listedAt } from './listed-at.ts'
import { ASSET_COLUMNS, toAsset } from './rows.ts'
import { allOf, type Fragment } from './statement.ts'

/** So many are counted by one statement, so that none takes long. */
const BLOCKS_AT_ONCE = 100

/** Behind every id. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export interface BlockFilter {
  /** Names it among the tallies of the account. */
  key: string
  conditions: Fragment[]
}

/** Counts what matches a filter, block by block, and remembers it. */
export function countBlocks(sql: Sql, account: string, tallies: Tallies) {
  const ready = sql`account_id = ${account} and status = 'ready'`

  async function countMore(tally: Tally, { conditions }: BlockFilter): Promise<Tally> {
    // While the account's revision stands still, its blocks need not be looked at.
    const changedFrom = tally.revision + (isComplete(tally) ? 1 : 0)
    const changed = sql`
      select first_id, revision, assets, (
          select first_id from asset_blocks next
          where next.account_id = ${account} and next.first_id > b.first_id
          order by next.first_id limit 1
        ) as next_id
      from asset_blocks b
      where (select revision from accounts where id = ${account}) >= ${changedFrom}
        and account_id = ${account} and (revision, first_id) > (${tally.revision}, ${tally.block})
      order by revision, first_id limit ${BLOCKS_AT_ONCE}`
    const blocks = await (conditions.length === 0
      ? sql<CountedBlock[]>`
          select first_id, revision, assets as matching from (${changed}) changed`
      : sql<CountedBlock[]>`
          select first_id, revision, (
            select count(*) from assets
            where ${ready} and id >= changed.first_id
              and id < coalesce(changed.next_id, ${LAST})
              and ${allOf(sql, conditions)}
          ) as matching
          from (${changed}) changed`)
    return addToTally(tally, blocks, { areAll: blocks.length < BLOCKS_AT_ONCE })
  }

  async function countAll(filter: BlockFilter): Promise<Tally> {
    for (;;) {
      const tally = await countMore(tallies.find(account, filter.key), filter)
      tallies.keep(account, filter.key, tally)
      if (isComplete(tally)) return tally
    }
  }

  return {
    isKnown: (key: string): boolean => tallies.find(account, key).matching.size > 0,

    /**
     * Reads what the tally is of. As long as nothing changes that is one statement, which tells the
     * revision that it saw; otherwise both are brought to one moment by a transaction.
     */
    async withTally(
      filter: BlockFilter,
      read: (tally: Tally) => Promise<ListedRow[]>,
    ): Promise<Rows<Asset>> {
      const known = tallies.find(account, filter.key)
      if (isComplete(known) && known.total > 0) {
        const rows = await read(known)
        if (rows[0]?.listed_at === known.revision) {
          return { rows: rows.map(toAsset), total: known.total }
        }
      }
      // The transaction has only what changes meanwhile left to count.
      if (!isComplete(known) || known.total === 0) {
        await tallies.countOnce(account, filter.key, async () => {
          await countAll(filter)
        })
      }
      return atOneMoment(sql, async () => {
        const tally = await countAll(filter)
        const rows = await read(tally)
        return { rows: rows.map(toAsset), total: tally.total }
      })
    },

    /** A page in the order of the ids: only the blocks that have it are read. */
    async readPage(query: AssetQuery, tally: Tally, { conditions }: BlockFilter) {
      const { descending } = query.sort
      const place = placeOf(tally, { ...query, descending })
      if (place === undefined) return []
      const { from, until = LAST, isFromEnd, offset, limit } = place
      const within = [
        ready,
        sql`id >= ${from}`,
        sql`id < ${until}`,
        ...conditions,
        ...behindCursor(sql, query),
      ]
      const order = sql`order by id ${isFromEnd ? sql`desc` : sql`asc`}`
      // What is skipped is read from the index alone.
      const rows = await sql<ListedRow[]>`
        select ${sql(ASSET_COLUMNS)}, ${listedAt(sql, account)} from assets
        where id = any(array(
          select id from assets where ${allOf(sql, within)}
          ${order} limit ${limit} offset ${offset}))
        ${order}`
      return isFromEnd === descending ? [...rows] : [...rows].reverse()
    },
  }
}
