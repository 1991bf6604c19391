import type { Asset } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import {
  addBlocks,
  type BlockCounts,
  type CountedBlock,
  isComplete,
  locatePage,
  MAX_ID,
  openCountsCache,
} from '../shared/block-counts.ts'
import {
  boundedRows,
  chooseStrategy,
  filterKey,
  isByProduct,
  isFarPage,
  isFiltered,
  MAX_AWAITED_BLOCKS,
  MAX_SKIPPED_ROWS,
  MAX_START_ROWS,
  mayHaveBounds,
  SORT_COLUMNS,
  START_ROWS,
  startOf,
} from '../shared/listing.ts'
import type { RunStep } from '../shared/time-slicer.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import { type LongReads, openScan, readRows, type Scan, scanPage, selectIds } from './scan.ts'
import {
  afterCursor,
  type Filter,
  filterOf,
  HAS_TAG,
  orderOf,
  prepareSmallResults,
} from './search.ts'

const STATE = 'select asset_count, revision from accounts where id = :account'
const READY = `account_id = :account and status = 'ready'`

export function prepareAssetList(connection: Connection, { snapshots, runStep }: LongReads) {
  const { prepare } = connection
  const blocks = prepareAssetBlocks(connection, runStep)
  const findSmallResult = prepareSmallResults(connection, runStep)
  const assetCount = prepare<{ total: number }>(
    'select asset_count as total from accounts where id = :account',
  )
  const assetsOfTag = prepare<{ total: number }>(
    'select assets as total from tags where account_id = :account and tag = :tag',
  )
  const currentState = prepare<{ asset_count: number; revision: number }>(STATE)

  /** Skips rows one by one, from the nearer end of the list. */
  function readPage(
    account: string,
    query: AssetQuery,
    { filter, total }: { filter: Filter; total: number },
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

  function listAll(account: string, query: AssetQuery, filter: Filter) {
    const total = assetCount.get({ account })?.total ?? 0
    const { offset } = rowRangeOf(query, total)
    if (isFarPage(query, offset)) return countBlocks(account, query, filter)
    if (offset > MAX_SKIPPED_ROWS) return scan(account, query, { filter })
    return { rows: readPage(account, query, { filter, total }), total }
  }

  function listTagged(account: string, query: AssetQuery, filter: Filter) {
    const { tag = '' } = query
    const total = assetsOfTag.get({ account, tag })?.total ?? 0
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (offset > MAX_SKIPPED_ROWS) return countBlocks(account, query, filter)
    const cursor = afterCursor(query)
    const { matches, id } = matching(
      { conditions: [HAS_TAG, ...cursor.conditions], parameters: {} },
      {},
    )
    const order = query.sort.descending !== isFromEnd ? 'desc' : 'asc'
    const page = prepare<ListedRow>(
      `select ${LISTED_COLUMNS} ${matches} order by ${id} ${order} limit +:limit offset :offset`,
    )
    const rows = page
      .all({ account, tag, ...cursor.parameters, limit, offset })
      .map(toListedAsset(account))
    return { rows: isFromEnd ? rows.reverse() : rows, total }
  }

  /** The account's revision does not change with every change of a product, so that counts can't be cached. */
  async function countRows(account: string, query: AssetQuery, filter: Filter) {
    const few = await findSmallResult(account, query, filter)
    if (few !== undefined) return few
    const isLong = (assetCount.get({ account })?.total ?? 0) > MAX_START_ROWS
    const start = isLong && mayHaveBounds(query) && (await readStart(account, query, filter))
    return start || scan(account, query, { filter })
  }

  async function countBlocks(account: string, query: AssetQuery, filter: Filter) {
    type Counted = Rows<Asset> | { counted: { total: number; revision: number } }
    const instead = () => readStart(account, query, filter)
    const read = (counts: BlockCounts): Counted => {
      const { total, revision } = counts
      if (query.sort.by === 'created_at') {
        return { rows: blocks.readPage(account, query, { filter, counts }), total }
      }
      // A list of one block is short.
      const isShort = counts.matching.size === 1
      const assets = isShort ? total : (assetCount.get({ account })?.total ?? 0)
      const { offset, limit } = rowRangeOf(query, total)
      const scanned = ((offset + limit) * assets) / Math.max(1, total)
      if (scanned > MAX_SKIPPED_ROWS) return { counted: { total, revision } }
      return { rows: readPage(account, query, { filter, total }), total }
    }
    const page = await blocks.withCounts<Counted>(account, { query, filter, instead }, read)
    return 'counted' in page ? scan(account, query, { filter, counted: page.counted }) : page
  }

  /** Reads a page that may be far from the start, or whose rows may be far from each other, in many short steps. */
  function scan(
    account: string,
    query: AssetQuery,
    { filter, counted }: { filter: Filter; counted?: { total: number; revision: number } },
  ): Promise<Rows<Asset>> {
    return snapshots.read(account, async (snapshot) => {
      const state = snapshot.prepare<{ asset_count: number; revision: number }>(STATE)
      const { asset_count = 0, revision } = state.get({ account }) ?? {}
      // After a cursor, the page need not match the total.
      const isCounted = counted?.revision === revision || query.after !== undefined
      const known = isFiltered(query) ? (isCounted ? counted?.total : undefined) : asset_count
      const { found, total } = await scanPage(snapshot, runStep, {
        scan: scanOf(account, query, filter),
        page: query,
        total: known,
      })
      const seqs = found.map(({ key }) => key)
      const rows = await runStep(account, () =>
        readRows<ListedRow>(snapshot, { table: 'assets', columns: LISTED_COLUMNS, seqs }),
      )
      return { rows: rows.map(toListedAsset(account)), total }
    })
  }

  /**
   * Looks at the first rows only. It does so in short steps, and gives up if the list changes in between: a page has
   * rows of one state of the database.
   */
  async function readStart(
    account: string,
    query: AssetQuery,
    filter: Filter,
  ): Promise<Rows<Asset> | undefined> {
    const range = startOf(query)
    const scan = scanOf(account, query, filter)
    const { readNext, result } = openScan(connection, { ...scan, ...range, isCounted: true })
    let revision: number | undefined
    for (let scanned = 0; scanned < MAX_START_ROWS; ) {
      const step = await runStep(account, (): Rows<Asset> | 'over' | undefined => {
        const state = currentState.get({ account })
        revision ??= state?.revision
        if (state === undefined || state.revision !== revision) return 'over'
        if (readNext(START_ROWS)) return 'over'
        scanned += START_ROWS
        const { found, matches } = result()
        if (matches <= range.offset + range.limit) return undefined
        const seqs = found.map(({ key }) => key)
        const rows = readRows<ListedRow>(connection, {
          table: 'assets',
          columns: LISTED_COLUMNS,
          seqs,
        })
        return boundedRows(rows.map(toListedAsset(account)), {
          matches,
          scanned,
          all: state.asset_count,
        })
      })
      if (step === 'over') return undefined
      if (step !== undefined) return step
    }
    return undefined
  }

  return {
    listAssets({ account }: Writer, query: AssetQuery): Promise<Rows<Asset>> {
      const filter = filterOf(query)
      return chooseStrategy(query, {
        listAll: () => listAll(account, query, filter),
        listTagged: () => listTagged(account, query, filter),
        // `countRows` tries it, too.
        findSmallResult: () =>
          isByProduct(query) ? undefined : findSmallResult(account, query, filter),
        countRows: () => countRows(account, query, filter),
        countBlocks: () => countBlocks(account, query, filter),
        hasBlockCounts: () => blocks.hasCounts(account, query),
      })
    },

    selectAssets: ({ account }: Writer, query: AssetQuery, limit: number): Promise<string[]> =>
      selectIds({ snapshots, runStep }, scanOf(account, query, filterOf(query)), limit),
  }
}

const SORT_INDEXES = {
  created_at: 'assets_ready',
  filename: 'assets_by_name',
  bytes: 'assets_by_bytes',
} as const

function scanOf(account: string, query: AssetQuery, filter: Filter): Scan {
  const { by, descending } = query.sort
  const { after } = query
  const order = SORT_COLUMNS[by]
  return {
    account,
    table: 'assets',
    index: SORT_INDEXES[by],
    own: READY,
    order,
    descending,
    filter,
    after: after && (order.length === 1 ? [after.id] : [after.value ?? '', after.id]),
  }
}

/** Filtered blocks that are counted in one turn of the event loop: one or two milliseconds. */
const BLOCKS_PER_TURN = 8
/**
 * A search counts fewer blocks per turn, because it may have to read the products of every asset, and so does a tag with
 * another filter, which reads the rows of the assets.
 */
const SLOW_BLOCKS_PER_TURN = 1
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

/** Whether so many blocks have changed that a request that `mayHaveBounds` does not wait until they are counted. */
const MANY_CHANGED = `(select count(*) from (
    select 1 from asset_blocks
    where account_id = :account and (revision, first_id) > (:revision, :block)
    limit ${MAX_AWAITED_BLOCKS + 1})) > ${MAX_AWAITED_BLOCKS}`

/**
 * The matches of a filter in a range of IDs, and the column with their IDs. The assets of a tag are found by its index; if
 * there is no other condition, their rows are not read, and must not be selected.
 */
function matching(
  { conditions }: Filter,
  { from, until }: { from?: string; until?: string },
  { hasRows = true } = {},
): { matches: string; id: string } {
  const others = conditions.filter((condition) => condition !== HAS_TAG)
  const isTagged = others.length < conditions.length
  const id = isTagged ? 't.asset_id' : 'id'
  const range = [...(from ? [`${id} >= ${from}`] : []), ...(until ? [`${id} < ${until}`] : [])]
  if (!isTagged) {
    const within = [READY, ...range, ...others].join(' and ')
    return { matches: `from assets where ${within}`, id }
  }
  const within = ['t.account_id = :account', 't.tag = :tag', ...range, ...others].join(' and ')
  const tables =
    hasRows || others.length > 0
      ? 'asset_tags t cross join assets on assets.seq = t.asset_seq'
      : 'asset_tags t'
  return { matches: `from ${tables} where ${within}`, id }
}

interface BlockFilter {
  filter: Filter
  blocksPerTurn: number
}

/** See `MANY_CHANGED`. */
type UncountedBlock = Omit<CountedBlock, 'matching'> & { matching: null }

type Block = { first_id: string; next_id: string; revision: number }

/** Counts the matches of a filter block by block, and caches the counts. */
function prepareAssetBlocks({ prepare }: Connection, runStep: RunStep) {
  const cache = openCountsCache()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const listChanged = prepare<Block>(CHANGED)

  /**
   * Updates the counts; undefined when that would block the event loop for too long. `many`: it has counted nothing,
   * as more blocks have to be counted than a request that `mayHaveBounds` waits for.
   */
  function countInOneTurn(
    account: string,
    key: string,
    { filter, blocksPerTurn, mayHaveBounds }: BlockFilter & { mayHaveBounds: boolean },
  ): BlockCounts | 'many' | undefined {
    const { conditions, parameters } = filter
    const known = cache.get(account, key)
    const { revision, block } = known
    if (isComplete(known) && known.matching.size > 0) {
      if (currentRevision.get({ account })?.revision === revision) return known
    }
    const isFiltered = conditions.length > 0
    const range = { from: 'changed.first_id', until: 'changed.next_id' }
    const { matches } = matching(filter, range, { hasRows: false })
    const counted = `case when ${mayHaveBounds ? MANY_CHANGED : 'false'} then null
      else (select count(*) ${matches}) end`
    const countChanged = prepare<CountedBlock | UncountedBlock>(
      `select first_id, revision, ${isFiltered ? counted : 'assets'} as matching
       from (${CHANGED}) changed`,
    )
    const limit = isFiltered ? blocksPerTurn : UNFILTERED_BLOCKS_PER_TURN
    const blocks = countChanged.all({ account, revision, block, limit, ...parameters })
    if (blocks[0]?.matching === null) return 'many'
    const counts = addBlocks(known, blocks as CountedBlock[], { areAll: blocks.length < limit })
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
      `select count(*) as matching ${matching(filter, { from: ':first_id', until: ':next_id' }, { hasRows: false }).matches}`,
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
     * rows. If many blocks have to be counted, it first tries to return the result of `instead`.
     */
    async withCounts<Result>(
      account: string,
      options: { query: AssetQuery; filter: Filter; instead: () => Promise<Result | undefined> },
      read: (counts: BlockCounts) => Result,
    ): Promise<Result> {
      const { query, filter, instead } = options
      const key = filterKey(query)
      // No index has the assets without a folder.
      const readsRows =
        query.words !== undefined ||
        (query.isDirect && query.folder === undefined) ||
        (query.tag !== undefined && filter.conditions.length > 1)
      const blocksPerTurn = readsRows ? SLOW_BLOCKS_PER_TURN : BLOCKS_PER_TURN
      const blockFilter = { filter, blocksPerTurn }
      let hasInstead = mayHaveBounds(query)
      for (;;) {
        const counts = countInOneTurn(account, key, { ...blockFilter, mayHaveBounds: hasInstead })
        if (counts === 'many') {
          hasInstead = false
          const result = await instead()
          if (result !== undefined) return result
          continue
        }
        if (counts !== undefined) return read(counts)
        await cache.countOnce(account, key, () => countInTurns(account, key, blockFilter))
      }
    },

    /** Reads a page ordered by ID, from the blocks that contain it. */
    readPage(
      account: string,
      query: AssetQuery,
      { filter, counts }: { filter: Filter; counts: BlockCounts },
    ): Asset[] {
      const { descending } = query.sort
      const location = locatePage(counts, { ...query, descending })
      if (location === undefined) return []
      const { from, until = MAX_ID, isFromEnd, offset, limit } = location
      const cursor = afterCursor(query)
      const conditions = [...filter.conditions, ...cursor.conditions]
      const range = { from: ':from', until: ':until' }
      const { matches, id } = matching({ conditions, parameters: {} }, range)
      const page = prepare<ListedRow>(
        `select ${LISTED_COLUMNS} ${matches}
         order by ${id} ${isFromEnd ? 'desc' : 'asc'} limit +:limit offset :offset`,
      )
      const parameters = { ...filter.parameters, ...cursor.parameters }
      const rows = page.all({ account, from, until, limit, offset, ...parameters })
      const assets = rows.map(toListedAsset(account))
      return isFromEnd === descending ? assets : assets.reverse()
    },
  }
}
