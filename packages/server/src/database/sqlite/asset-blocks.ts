import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery } from '../account-data.ts'
import {
  addToTally,
  type CountedBlock,
  isComplete,
  placeOf,
  type Tally,
} from '../listing/block-counts.ts'
import { openTallies } from '../listing/counts-cache.ts'
import { type AssetFilter, behindCursor } from './asset-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import type { Connection } from './statement.ts'

/** So many blocks are counted in one turn of the event loop: one or two milliseconds. */
const BLOCKS_A_TURN = 8
/** Without a filter a block is only looked up. */
const BLOCKS_AT_ONCE = 100_000

/** Behind every id. */
const END = '~'

const CHANGED = `
  select first_id, revision, assets, coalesce((
      select first_id from asset_blocks next
      where next.account_id = :account and next.first_id > b.first_id
      order by first_id limit 1), '${END}') as next_id
  from asset_blocks b
  where account_id = :account and (revision, first_id) > (:revision, :block)
  order by revision, first_id limit +:limit`

function matching(conditions: string[], from: string, until: string): string {
  const within = ["status = 'ready'", `id >= ${from}`, `id < ${until}`, ...conditions]
  return `from assets where account_id = :account and ${within.join(' and ')}`
}

type Block = { first_id: string; next_id: string; revision: number }

/** Counts what matches a filter, block by block, and remembers it. */
export function prepareAssetBlocks({ prepare }: Connection) {
  const tallies = openTallies()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const listChanged = prepare<Block>(CHANGED)

  /** Brings a tally up to date; undefined when that takes longer than others should wait. */
  function countAtOnce(account: string, filter: AssetFilter): Tally | undefined {
    const { conditions, parameters } = filter
    const known = tallies.find(account, keyOf(filter))
    const { revision, block } = known
    if (isComplete(known) && known.matching.size > 0) {
      if (currentRevision.get({ account })?.revision === revision) return known
    }
    const isFiltered = conditions.length > 0
    const inBlock = matching(conditions, 'changed.first_id', 'changed.next_id')
    const countChanged = prepare<CountedBlock>(
      `select first_id, revision, ${isFiltered ? `(select count(*) ${inBlock})` : 'assets'} as matching
       from (${CHANGED}) changed`,
    )
    const limit = isFiltered ? BLOCKS_A_TURN : BLOCKS_AT_ONCE
    const blocks = countChanged.all({ account, revision, block, limit, ...parameters })
    const tally = addToTally(known, blocks, { areAll: blocks.length < limit })
    tallies.keep(account, keyOf(filter), tally)
    return isComplete(tally) ? tally : undefined
  }

  /**
   * Counts what has changed by now, while others are served. A block that changes meanwhile may be
   * counted wrong, but has a new revision then, and is counted again.
   */
  async function countInTurns(account: string, filter: AssetFilter): Promise<void> {
    const known = tallies.find(account, keyOf(filter))
    const { revision, block } = known
    const changed = listChanged.all({ account, revision, block, limit: BLOCKS_AT_ONCE })
    const count = prepare<{ matching: number }>(
      `select count(*) as matching ${matching(filter.conditions, ':first_id', ':next_id')}`,
    )
    const blocks: CountedBlock[] = []
    for (const { first_id, next_id, revision } of changed) {
      if (blocks.length % BLOCKS_A_TURN === 0) await nextTurn()
      const row = count.get({ account, first_id, next_id, ...filter.parameters })
      blocks.push({ first_id, revision, matching: row?.matching ?? 0 })
    }
    tallies.keep(account, keyOf(filter), addToTally(known, blocks, { areAll: false }))
  }

  return {
    isKnown: (account: string, filter: AssetFilter): boolean =>
      tallies.find(account, keyOf(filter)).matching.size > 0,

    /**
     * Counts, while others are served, and then reads: in the same turn of the event loop, so that
     * the tally is that of the rows.
     */
    async withTally<Result>(
      account: string,
      filter: AssetFilter,
      read: (tally: Tally) => Result,
    ): Promise<Result> {
      for (;;) {
        const tally = countAtOnce(account, filter)
        if (tally !== undefined) return read(tally)
        await tallies.countOnce(account, keyOf(filter), () => countInTurns(account, filter))
      }
    },

    /** A page in the order of the ids: only the blocks that have it are read. */
    readPage(
      account: string,
      query: AssetQuery,
      { filter, tally }: { filter: AssetFilter; tally: Tally },
    ): Asset[] {
      const { descending } = query.sort
      const place = placeOf(tally, { ...query, descending })
      if (place === undefined) return []
      const { from, until = END, isFromEnd, offset, limit } = place
      const cursor = behindCursor(query)
      const conditions = [...filter.conditions, ...cursor.conditions]
      const page = prepare<ListedRow>(
        `select ${LISTED_COLUMNS} ${matching(conditions, ':from', ':until')}
         order by id ${isFromEnd ? 'desc' : 'asc'} limit +:limit offset :offset`,
      )
      const parameters = { ...filter.parameters, ...cursor.parameters }
      const rows = page.all({ account, from, until, limit, offset, ...parameters })
      const assets = rows.map(toListedAsset(account))
      return isFromEnd === descending ? assets : assets.reverse()
    },
  }
}

/** Names the filter among the tallies of the account. */
function keyOf({ parameters }: AssetFilter): string {
  return JSON.stringify(parameters)
}
