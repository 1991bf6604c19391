import type { Asset } from '../../domain/asset.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { chooseStrategy, isFarPage, MAX_SKIPPED_ROWS } from '../listing/choose-strategy.ts'
import { inOrderOf } from '../listing/small-result-cache.ts'
import { SORT_COLUMNS } from '../listing/sort-columns.ts'
import { createStepQueue, type RunStep } from '../time-slicer.ts'
import { prepareAssetBlocks } from './asset-blocks.ts'
import { type AssetFilter, afterCursor, filterOf, orderOf } from './asset-filter.ts'
import type { SnapshotReader } from './connection.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import { prepareSmallResults } from './small-results.ts'
import type { Connection } from './statement.ts'

const READY = `account_id = :account and status = 'ready'`

export function prepareAssetList(connection: Connection, snapshots: SnapshotReader) {
  const { prepare } = connection
  const runStep = createStepQueue()
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

  function countRows(account: string, query: AssetQuery, filter: AssetFilter): Rows<Asset> {
    const count = prepare<{ total: number }>(
      `select count(*) as total from assets where ${[READY, ...filter.conditions].join(' and ')}`,
    )
    const total = count.get({ account, ...filter.parameters })?.total ?? 0
    return { rows: readPage(account, query, { filter, total }), total }
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
      const known = counted === undefined ? asset_count : isCounted ? counted.total : undefined
      const { seqs, total } = await scanSortOrder(snapshot, runStep, {
        account,
        query,
        filter,
        total: known,
      })
      const rowsOf = snapshot.prepare<ListedRow>(
        `select ${LISTED_COLUMNS} from assets where seq in (select value from json_each(:seqs))`,
      )
      const rows = await runStep(account, () => rowsOf.all({ seqs: JSON.stringify(seqs) }))
      return { rows: inOrderOf(seqs, rows, ({ seq }) => seq).map(toListedAsset(account)), total }
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

/** Rows of the account that a step reads at first. Later steps read more, unless they take too long. */
const FIRST_ROWS = 500
const MAX_ROWS = 16_000
const STEP_MS = 2

const SORT_INDEXES = {
  created_at: 'assets_ready',
  filename: 'assets_by_name',
  bytes: 'assets_by_bytes',
} as const

interface SortPosition {
  value: string | number
  id: string
}

/**
 * Finds the rows of a page in the query's sort order, from the nearer end if the total is known. Otherwise it reads all
 * rows and counts the matches.
 */
async function scanSortOrder(
  { prepare }: Connection,
  runStep: RunStep,
  scan: { account: string; query: AssetQuery; filter: AssetFilter; total: number | undefined },
): Promise<{ seqs: number[]; total: number }> {
  const { account, query, filter } = scan
  const { by } = query.sort
  const whole = { isFromEnd: false, offset: (query.page - 1) * query.perPage, limit: query.perPage }
  const range = scan.total === undefined ? whole : rowRangeOf(query, scan.total)
  const { isFromEnd, offset, limit } = range
  const descending = query.sort.descending !== isFromEnd
  const order = orderOf({ by, descending })
  const columns = `(${SORT_COLUMNS[by].join(', ')})`
  const from = `from assets indexed by ${SORT_INDEXES[by]} where ${READY}`
  const after = `${columns} ${descending ? '<' : '>'} (:value, :id)`
  const until = `${columns} ${descending ? '>=' : '<='} (:until_value, :until_id)`

  function statements(isFirst: boolean, isLast: boolean) {
    const begin = isFirst ? [] : [after]
    const within = [...begin, ...(isLast ? [] : [until]), ...filter.conditions]
    return {
      end: prepare<SortPosition>(
        `select ${SORT_COLUMNS[by][0]} as value, id ${[from, ...begin].join(' and ')}
         order by ${order} limit 1 offset :rows - 1`,
      ),
      matching: prepare<{ seq: number }>(
        `select seq ${[from, ...within].join(' and ')} order by ${order}`,
      ),
    }
  }

  const { after: cursor } = query
  let position: SortPosition | undefined = cursor && { value: cursor.value ?? '', id: cursor.id }
  let matches = 0
  let rows = FIRST_ROWS
  const seqs: number[] = []

  /** Reads the next rows. Returns those that match, or only their number if the page starts after them. */
  function readNext(): { seq: number }[] | number {
    const begin = position && { value: position.value, id: position.id }
    const isFirst = position === undefined
    const end = statements(isFirst, false).end.get({ account, ...begin, rows })
    position = end
    const isSkipped = filter.conditions.length === 0 && matches + rows <= offset
    if (isSkipped && end !== undefined) return rows
    const bounds = end && { until_value: end.value, until_id: end.id }
    const { matching } = statements(isFirst, end === undefined)
    return matching.all({ account, ...filter.parameters, ...begin, ...bounds })
  }

  for (let isOver = false; !isOver; ) {
    const found = await runStep(account, () => {
      const since = performance.now()
      const result = readNext()
      const isShort = performance.now() - since < STEP_MS
      rows = isShort ? Math.min(2 * rows, MAX_ROWS) : Math.max(FIRST_ROWS, Math.floor(rows / 2))
      return result
    })
    if (typeof found === 'number') {
      matches += found
      continue
    }
    const first = Math.max(0, offset - matches)
    seqs.push(...found.slice(first, first + limit - seqs.length).map(({ seq }) => seq))
    matches += found.length
    isOver = position === undefined || (scan.total !== undefined && seqs.length >= limit)
  }
  return { seqs: isFromEnd ? seqs.reverse() : seqs, total: scan.total ?? matches }
}
