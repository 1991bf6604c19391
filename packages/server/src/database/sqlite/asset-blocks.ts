import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery } from '../account-data.ts'
import { filterKey } from '../listing/asset-filters.ts'
import {
  addBlocks,
  type BlockCounts,
  type CountedBlock,
  isComplete,
  MAX_ID,
} from '../listing/block-counts.ts'
import { openCountsCache } from '../listing/counts-cache.ts'
import { locatePage } from '../listing/locate-page.ts'
import type { RunStep } from '../time-slicer.ts'
import { type AssetFilter, afterCursor } from './asset-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import type { Connection } from './statement.ts'

/** Filtered blocks that are counted in one turn of the event loop: one or two milliseconds. */
const BLOCKS_PER_TURN = 8
/** A search counts fewer blocks per turn, because it may have to read the products of every asset. */
const SEARCHED_BLOCKS_PER_TURN = 1
/** Without a filter the count of a block is only looked up. */
const UNFILTERED_BLOCKS_PER_TURN = 100_000

const CHANGED = `
  select first_id, revision, assets, coalesce((
      select first_id from asset_blocks next
      where next.account_id = :account and next.first_id > b.first_id
      order by first_id limit 1), '${MAX_ID}') as next_id
  from asset_blocks b
  where account_id = :account and (revision, first_id) > (:revision, :block)
  order by revision, first_id limit +:limit`

function matching(conditions: string[], from: string, until: string): string {
  const within = ["status = 'ready'", `id >= ${from}`, `id < ${until}`, ...conditions]
  return `from assets where account_id = :account and ${within.join(' and ')}`
}

interface BlockFilter {
  filter: AssetFilter
  blocksPerTurn: number
}

type Block = { first_id: string; next_id: string; revision: number }

/** Counts the matches of a filter block by block, and caches the counts. */
export function prepareAssetBlocks({ prepare }: Connection, runStep: RunStep) {
  const cache = openCountsCache()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const listChanged = prepare<Block>(CHANGED)

  /** Updates the counts; undefined when that would block the event loop for too long. */
  function countInOneTurn(
    account: string,
    key: string,
    { filter, blocksPerTurn }: BlockFilter,
  ): BlockCounts | undefined {
    const { conditions, parameters } = filter
    const known = cache.get(account, key)
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
    const limit = isFiltered ? blocksPerTurn : UNFILTERED_BLOCKS_PER_TURN
    const blocks = countChanged.all({ account, revision, block, limit, ...parameters })
    const counts = addBlocks(known, blocks, { areAll: blocks.length < limit })
    cache.set(account, key, counts)
    return isComplete(counts) ? counts : undefined
  }

  /**
   * Counts the blocks that have changed so far, and yields to the event loop in between. The count of
   * a block that changes meanwhile may be wrong, but the block then has a new revision and is counted
   * again.
   */
  async function countInTurns(
    account: string,
    key: string,
    { filter, blocksPerTurn }: BlockFilter,
  ): Promise<void> {
    const known = cache.get(account, key)
    const { revision, block } = known
    const changed = listChanged.all({ account, revision, block, limit: UNFILTERED_BLOCKS_PER_TURN })
    const count = prepare<{ matching: number }>(
      `select count(*) as matching ${matching(filter.conditions, ':first_id', ':next_id')}`,
    )
    const blocks: CountedBlock[] = []
    for (let start = 0; start < changed.length; start += blocksPerTurn) {
      await runStep(account, () => {
        for (const { first_id, next_id, revision } of changed.slice(start, start + blocksPerTurn)) {
          const row = count.get({ account, first_id, next_id, ...filter.parameters })
          blocks.push({ first_id, revision, matching: row?.matching ?? 0 })
        }
      })
    }
    cache.set(account, key, addBlocks(known, blocks, { areAll: false }))
  }

  return {
    hasCounts: (account: string, query: AssetQuery): boolean =>
      cache.get(account, filterKey(query)).matching.size > 0,

    /**
     * Counts, and then calls `read` in the same turn of the event loop, so that the counts match the
     * rows.
     */
    async withCounts<Result>(
      account: string,
      { query, filter }: { query: AssetQuery; filter: AssetFilter },
      read: (counts: BlockCounts) => Result,
    ): Promise<Result> {
      const key = filterKey(query)
      const blocksPerTurn = query.words === undefined ? BLOCKS_PER_TURN : SEARCHED_BLOCKS_PER_TURN
      const blockFilter = { filter, blocksPerTurn }
      for (;;) {
        const counts = countInOneTurn(account, key, blockFilter)
        if (counts !== undefined) return read(counts)
        await cache.countOnce(account, key, () => countInTurns(account, key, blockFilter))
      }
    },

    /** Reads a page ordered by ID, from the blocks that contain it. */
    readPage(
      account: string,
      query: AssetQuery,
      { filter, counts }: { filter: AssetFilter; counts: BlockCounts },
    ): Asset[] {
      const { descending } = query.sort
      const location = locatePage(counts, { ...query, descending })
      if (location === undefined) return []
      const { from, until = MAX_ID, isFromEnd, offset, limit } = location
      const cursor = afterCursor(query)
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
