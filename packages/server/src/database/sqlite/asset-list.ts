import type { Asset } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { isByProduct, isFiltered } from '../listing/asset-filters.ts'
import { chooseStrategy, isFarPage, MAX_SKIPPED_ROWS } from '../listing/choose-strategy.ts'
import { SORT_COLUMNS } from '../listing/sort-columns.ts'
import { prepareAssetBlocks } from './asset-blocks.ts'
import { type AssetFilter, afterCursor, filterOf, orderOf } from './asset-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import { type LongReads, readRows, type Scan, scanPage } from './scan.ts'
import { prepareSmallResults } from './small-results.ts'
import type { Connection } from './statement.ts'

const READY = `account_id = :account and status = 'ready'`

export function prepareAssetList(connection: Connection, { snapshots, runStep }: LongReads) {
  const { prepare } = connection
  const blocks = prepareAssetBlocks(connection, runStep)
  const findSmallResult = prepareSmallResults(connection, runStep)
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
    if (offset > MAX_SKIPPED_ROWS) return scan(account, query, { filter })
    return { rows: readPage(account, query, { filter, total }), total }
  }

  /** The account's revision does not change with every change of a product, so that counts can't be cached. */
  async function countRows(account: string, query: AssetQuery, filter: AssetFilter) {
    return (await findSmallResult(account, query, filter)) ?? scan(account, query, { filter })
  }

  async function countBlocks(account: string, query: AssetQuery, filter: AssetFilter) {
    const read = blocks.withCounts(account, { query, filter }, (counts) => {
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
    })
    const page = await read
    return page.counted ? scan(account, query, { filter, counted: page.counted }) : page
  }

  /** Reads a page that may be far from the start, or whose rows may be far from each other, in many short steps. */
  function scan(
    account: string,
    query: AssetQuery,
    { filter, counted }: { filter: AssetFilter; counted?: { total: number; revision: number } },
  ): Promise<Rows<Asset>> {
    return snapshots.read(account, async (snapshot) => {
      const state = snapshot.prepare<{ asset_count: number; revision: number }>(
        'select asset_count, revision from accounts where id = :account',
      )
      const { asset_count = 0, revision } = state.get({ account }) ?? {}
      // After a cursor, the page need not match the total.
      const isCounted = counted?.revision === revision || query.after !== undefined
      const known = isFiltered(query) ? (isCounted ? counted?.total : undefined) : asset_count
      const { by, descending } = query.sort
      const { after } = query
      const order = SORT_COLUMNS[by]
      const list: Scan = {
        account,
        table: 'assets',
        index: SORT_INDEXES[by],
        own: READY,
        order,
        descending,
        filter,
        after: after && (order.length === 1 ? [after.id] : [after.value ?? '', after.id]),
      }
      const { found, total } = await scanPage(snapshot, runStep, {
        scan: list,
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

  return {
    listAssets(account: string, query: AssetQuery): Promise<Rows<Asset>> {
      const filter = filterOf(query)
      return chooseStrategy(query, {
        listAll: () => listAll(account, query, filter),
        // `countRows` tries it, too.
        findSmallResult: () =>
          isByProduct(query) ? undefined : findSmallResult(account, query, filter),
        countRows: () => countRows(account, query, filter),
        countBlocks: () => countBlocks(account, query, filter),
        hasBlockCounts: () => blocks.hasCounts(account, query),
      })
    },
  }
}

const SORT_INDEXES = {
  created_at: 'assets_ready',
  filename: 'assets_by_name',
  bytes: 'assets_by_bytes',
} as const
