import type { Asset } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import {
  addBlocks,
  BLOCKS_PER_STATEMENT,
  type BlockCounts,
  type CountedBlock,
  type CountsCache,
  isComplete,
  locatePage,
  MAX_ID,
} from '../shared/block-counts.ts'
import { type Statement, statement } from '../shared/dialect.ts'
import {
  boundedRows,
  chooseStrategy,
  filterKey,
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
import { type AssetRow, toAsset, toAssetOf } from '../shared/rows.ts'
import type { AccountMethods } from '../shared/wire-account-data.ts'
import { allOf, execute, type Fragment, inSnapshot, type Sql } from './connection.ts'
import {
  assetColumns,
  LISTED_COLUMNS,
  type ListedRow,
  listedAt,
  type PlainListedRow,
} from './rows.ts'
import {
  afterCursor,
  conditionsOf,
  orderOf,
  type SmallResultCache,
  smallResults,
} from './search.ts'

type CountedRow = AssetRow & { total: number }
type StartRow = AssetRow & { scanned: number; matches: number; all_rows: number }

/** The caches that the listings of all accounts share. */
export interface ListingCaches {
  counts: CountsCache
  smallResults: SmallResultCache
}

export function accountAssetList(
  sql: Sql,
  account: string,
  caches: ListingCaches,
): AccountMethods['assetList'] {
  return {
    listAssets(query) {
      const statement = firstPageOf(query)
      return statement === undefined
        ? otherPages(sql, account, caches).listAssets(query)
        : readFirstPage(sql, account, { query, statement })
    },

    async selectAssets(query, limit) {
      const conditions = conditionsOf(sql, account, query, 'index')
      const ready = sql`account_id = ${account} and status = 'ready'`
      const rows = await sql<{ id: string }[]>`
        select id from assets where ${allOf(sql, [ready, ...conditions])}
        order by id desc limit ${limit}`
      return Array.from(rows, ({ id }) => id)
    },
  }
}

type FirstRow = PlainListedRow & { total: number }
type FirstPage = Statement<
  { account: string; after_id?: string; after_value?: string | number },
  FirstRow[]
>

/** The default page has 25 rows. With a cursor, one more row is read. */
const READ_SIZES = [26, 51, 101, 251, 501]
const firstPages = new Map<string, FirstPage>()

/**
 * The statement for the first page of all assets, or for the page after a cursor. It has at least `perPage` rows. Building
 * its text for each request would take longer than reading the rows. PostgreSQL plans a statement again on each call if its
 * limit is a parameter, so the limit is one of a few in the text: each text stays prepared on each connection.
 */
function firstPageOf(query: AssetQuery): FirstPage | undefined {
  const size = READ_SIZES.find((one) => one >= query.perPage)
  const isFirst = query.after !== undefined || query.page === 1
  if (!isFirst || size === undefined || isFiltered(query)) return undefined
  const { by, descending } = query.sort
  const key = `${by} ${descending} ${size} ${query.after !== undefined}`
  const existing = firstPages.get(key)
  if (existing !== undefined) return existing
  const columns = SORT_COLUMNS[by]
  const order = columns.map((column) => `${column} ${descending ? 'desc' : 'asc'}`)
  const position = columns.length === 1 ? ':after_id' : ':after_value, :after_id'
  const after = `and (${columns.join(', ')}) ${descending ? '<' : '>'} (${position})`
  const created: FirstPage = statement<{ account: string }>(
    `select ${LISTED_COLUMNS}, (select asset_count from accounts where id = :account) as total
     from assets where account_id = :account and status = 'ready' ${query.after ? after : ''}
     order by ${order.join(', ')} limit ${size}`,
  ).every((row: FirstRow) => row)
  firstPages.set(key, created)
  return created
}

async function readFirstPage(
  sql: Sql,
  account: string,
  { query, statement }: { query: AssetQuery; statement: FirstPage },
): Promise<Rows<Asset>> {
  const { id = '', value = '' } = query.after ?? {}
  const found = await execute(sql, statement, { account, after_id: id, after_value: value })
  const rows = found.slice(0, query.perPage).map((row) => toAssetOf(account, 'ready', row))
  return { rows, total: found[0]?.total ?? (await readTotal(sql, account)) }
}

async function readTotal(sql: Sql, account: string): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select asset_count as total from accounts where id = ${account}`
  return row?.total ?? 0
}

/** All pages whose statement is built for the request. */
function otherPages(
  sql: Sql,
  account: string,
  caches: ListingCaches,
): Pick<AccountMethods['assetList'], 'listAssets'> {
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

  async function listAll(query: AssetQuery): Promise<Rows<Asset>> {
    const offset = query.after === undefined ? (query.page - 1) * query.perPage : 0
    if (isFarPage(query, offset)) return countBlocks(query)
    if (offset <= MAX_SKIPPED_ROWS) {
      const conditions = [ready, ...afterCursor(sql, query)]
      const found = await sql<CountedRow[]>`
        select ${columns}, (select asset_count from accounts where id = ${account}) as total
        from assets where ${allOf(sql, conditions)}
        order by ${orderOf(sql, query.sort)} limit ${query.perPage} offset ${offset}`
      return { rows: found.map(toAsset), total: found[0]?.total ?? (await readTotal(sql, account)) }
    }
    return inSnapshot(sql, async () => {
      const total = await readTotal(sql, account)
      return { rows: (await readPage(query, [], total)).map(toAsset), total }
    })
  }

  async function listTagged(query: AssetQuery, tag: string): Promise<Rows<Asset>> {
    const { offset, limit } = startOf(query)
    if (offset > MAX_SKIPPED_ROWS) return countBlocks(query)
    const order = sql`order by id ${query.sort.descending ? sql`desc` : sql`asc`}`
    const ofTag = sql`account_id = ${account} and tag = ${tag}`
    const total = sql`select assets as total from tags where ${ofTag}`
    const ids = sql`
      select id from (select asset_id as id from asset_tags where ${ofTag}) tagged
      where ${allOf(sql, [sql`true`, ...afterCursor(sql, query)])}
      ${order} limit ${limit} offset ${offset}`
    const found = await sql<CountedRow[]>`
      select ${columns}, (${total}) as total from assets where id = any(array(${ids})) ${order}`
    const counted = found[0] ?? (await sql<{ total: number }[]>`${total}`)[0]
    return { rows: found.map(toAsset), total: counted?.total ?? 0 }
  }

  /** Looks at the first rows only. One statement reads them, the page and the number of all assets. */
  async function readStart(query: AssetQuery): Promise<Rows<Asset> | undefined> {
    if (!mayHaveBounds(query)) return undefined
    const { offset, limit } = startOf(query)
    // A search without words has no condition.
    const matches = allOf(sql, [sql`true`, ...conditionsOf(sql, account, query, 'scan')])
    const order = orderOf(sql, query.sort)
    const listed = allOf(sql, [blocks.areManyToCount(query), ready, ...afterCursor(sql, query)])
    for (const most of [START_ROWS, MAX_START_ROWS]) {
      const rows = await sql<StartRow[]>`
        with scanned as materialized (
          select ${sql(SORT_COLUMNS[query.sort.by])}, (${matches}) as matches from assets
          where ${listed} order by ${order} limit ${most})
        select start.*, (select asset_count from accounts where id = ${account}) as all_rows, ${columns}
        from (select count(*) as scanned, count(*) filter (where matches) as matches from scanned) start
        left join assets on id = any(array(
          select id from scanned where matches order by ${order} limit ${limit} offset ${offset}))
        order by ${order}`
      const [start] = rows
      if (start === undefined || start.scanned === 0) return undefined
      if (start.matches > offset + limit) {
        return boundedRows(rows.map(toAsset), { ...start, all: start.all_rows })
      }
    }
    return undefined
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
    const { tag, ...others } = query
    const filter = { tag, conditions: conditionsOf(sql, account, others, 'scan') }
    const read = (counts: BlockCounts) =>
      query.sort.by === 'created_at'
        ? blocks.readPage(query, filter, counts)
        : readPage(query, conditionsOf(sql, account, query, 'scan'), counts.total)
    return blocks.withCounts(query, filter, { read, instead: () => readStart(query) })
  }

  return {
    listAssets: (query) =>
      chooseStrategy(query, {
        listAll: () => listAll(query),
        listTagged: (tag) => listTagged(query, tag),
        findSmallResult: () => findSmallResult(query),
        countRows: () => countRows(query),
        countBlocks: () => countBlocks(query),
        hasBlockCounts: () => blocks.hasCounts(query),
      }),
  }
}

interface BlockFilter {
  tag: string | undefined
  /** Those of the other filters. */
  conditions: Fragment[]
}

/** With more rows than this, the plan for all values seems to be slower than planning again, even if it is the same. */
const MAX_ROWS_IN_TEXT = 1000

/** Counts the matches of a filter block by block, and caches the counts. */
function assetBlocks(sql: Sql, account: string, cache: CountsCache) {
  /** The tables and conditions of the matches. The assets of a tag are found by its index. */
  function matching({ tag, conditions }: BlockFilter, range: (id: Fragment) => Fragment) {
    if (tag === undefined) {
      const ready = sql`account_id = ${account} and status = 'ready'`
      const id = sql`id`
      return {
        id,
        matches: sql`from assets where ${allOf(sql, [ready, range(id), ...conditions])}`,
      }
    }
    const id = sql`t.asset_id`
    const tagged = [sql`t.account_id = ${account} and t.tag = ${tag}`, range(id), ...conditions]
    const rows = conditions.length === 0 ? sql`` : sql`join assets on assets.id = t.asset_id`
    return { id, matches: sql`from asset_tags t ${rows} where ${allOf(sql, tagged)}` }
  }

  async function countMore(counts: BlockCounts, filter: BlockFilter): Promise<BlockCounts> {
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
    const isFiltered = filter.tag !== undefined || filter.conditions.length > 0
    const inBlock = (id: Fragment) =>
      sql`${id} >= changed.first_id and ${id} < coalesce(changed.next_id, ${MAX_ID})`
    const blocks = await (!isFiltered
      ? sql<CountedBlock[]>`
          select first_id, revision, assets as matching from (${changed}) changed`
      : sql<CountedBlock[]>`
          select first_id, revision,
            (select count(*) ${matching(filter, inBlock).matches}) as matching
          from (${changed}) changed`)
    return addBlocks(counts, blocks, { areAll: blocks.length < BLOCKS_PER_STATEMENT })
  }

  async function countAll(key: string, filter: BlockFilter): Promise<BlockCounts> {
    for (;;) {
      const counts = await countMore(cache.get(account, key), filter)
      cache.set(account, key, counts)
      if (isComplete(counts)) return counts
    }
  }

  return {
    hasCounts: (query: AssetQuery): boolean =>
      cache.get(account, filterKey(query)).matching.size > 0,

    /** A condition: whether more blocks have to be counted than a request should wait for. */
    areManyToCount(query: AssetQuery): Fragment {
      const { revision, block } = cache.get(account, filterKey(query))
      return sql`(select count(*) from (
        select from asset_blocks
        where account_id = ${account} and (revision, first_id) > (${revision}, ${block})
        limit ${MAX_AWAITED_BLOCKS + 1}) changed) > ${MAX_AWAITED_BLOCKS}`
    },

    /**
     * Reads rows that match the counts. While nothing changes this is one statement, which also returns
     * the revision that it saw. Otherwise the counts and the rows are read in one snapshot, unless `instead` returns
     * a page.
     */
    async withCounts(
      query: AssetQuery,
      filter: BlockFilter,
      {
        read,
        instead,
      }: {
        read: (counts: BlockCounts) => Promise<ListedRow[]>
        instead: () => Promise<Rows<Asset> | undefined>
      },
    ): Promise<Rows<Asset>> {
      const key = filterKey(query)
      const known = cache.get(account, key)
      if (isComplete(known) && known.total > 0) {
        const rows = await read(known)
        if (rows[0]?.listed_at === known.revision) {
          return { rows: rows.map(toAsset), total: known.total }
        }
      }
      const page = await instead()
      if (page !== undefined) return page
      // Most blocks are counted before the snapshot. Within it, only the blocks that changed meanwhile are counted.
      if (!isComplete(known) || known.total === 0) {
        await cache.countOnce(account, key, async () => {
          await countAll(key, filter)
        })
      }
      return inSnapshot(sql, async () => {
        const counts = await countAll(key, filter)
        const rows = await read(counts)
        return { rows: rows.map(toAsset), total: counts.total }
      })
    },

    /** Reads a page ordered by ID, from the blocks that contain it. */
    async readPage(
      query: AssetQuery,
      filter: BlockFilter,
      counts: BlockCounts,
    ): Promise<ListedRow[]> {
      const { descending } = query.sort
      const location = locatePage(counts, { ...query, descending })
      if (location === undefined) return []
      const { from, until = MAX_ID, isFromEnd, offset, limit } = location
      const { matches, id } = matching(
        { ...filter, conditions: [...filter.conditions, ...afterCursor(sql, query)] },
        (id) => sql`${id} >= ${from} and ${id} < ${until}`,
      )
      const direction = isFromEnd ? sql`desc` : sql`asc`
      // Without a limit in the text, PostgreSQL plans the statement again on each call: see `firstPageOf`.
      const most =
        offset + limit <= MAX_ROWS_IN_TEXT ? sql.unsafe(`limit ${MAX_ROWS_IN_TEXT}`) : sql``
      // The subquery skips rows by reading only the index, not the table.
      const rows = await sql<ListedRow[]>`
        select ${assetColumns(sql)}, ${listedAt(sql, account)} from assets
        where id = any(array(
          select id from (select ${id} as id ${matches} order by ${id} ${direction} ${most}) near
          order by id ${direction} limit ${limit} offset ${offset}))
        order by id ${direction}`
      return isFromEnd === descending ? [...rows] : [...rows].reverse()
    },
  }
}
