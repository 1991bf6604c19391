import type { Asset } from '../../domain/asset.ts'
import type { SortKey } from '../../domain/paging.ts'
import { TRIGRAM_LENGTH } from '../../domain/search.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { openLruCache } from './lru-cache.ts'

/** Skipping up to this many rows is faster than looking up blocks. */
export const MAX_SKIPPED_ROWS = 2000

type Page = Rows<Asset>

/** The ways in which an engine can read a page of an account's assets. */
interface ListingStrategies {
  /** Lists all assets. The account has a counter of them, so that only the page must be found. */
  listAll(): Page | Promise<Page>
  /** Lists the assets of a tag by creation. The tag has a counter of them, and an index in this order. */
  listTagged(tag: string): Page | Promise<Page>
  /**
   * Looks the name or a word up in the trigram index, or the folder or the tag in its index, and caches the IDs of all
   * matches. Undefined when no index limits the candidates to `MAX_SMALL_RESULT` assets, or when `countRows` is faster.
   */
  findSmallResult(): Page | undefined | Promise<Page | undefined>
  /** Counts the matches on every call, unless `mayHaveBounds`. */
  countRows(): Page | Promise<Page>
  /**
   * Counts the matches of each block and caches the counts, so that only changed blocks are counted again. If
   * `mayHaveBounds`, and if more than `MAX_AWAITED_BLOCKS` have to be counted, it looks for the page among the first
   * rows of the list before: see `boundedRows`.
   */
  countBlocks(): Page | Promise<Page>
  /** Whether the cache has counts of blocks for this filter. */
  hasBlockCounts(): boolean
}

/** Lists a page of assets by the fastest strategy for the query. */
export async function chooseStrategy(
  query: AssetQuery,
  strategies: ListingStrategies,
): Promise<Page> {
  if (!isFiltered(query)) return strategies.listAll()
  const { folder, tag } = query
  if (tag !== undefined && isByTagOnly(query)) return strategies.listTagged(tag)
  const isIndexed = hasTrigrams(query) || folder !== undefined || tag !== undefined
  if (isIndexed && !strategies.hasBlockCounts()) {
    const page = await strategies.findSmallResult()
    if (page !== undefined) return page
  }
  // A product has few assets, and the account's revision does not change with every change of a product.
  return isByProduct(query) ? strategies.countRows() : strategies.countBlocks()
}

/** Whether a tag is the only filter of a list that is sorted by creation. */
function isByTagOnly({ tag, ...others }: AssetQuery): boolean {
  return !isFiltered(others) && others.sort.by === 'created_at'
}

/** Whether block counts find a page of the unfiltered list faster than skipping this many rows. */
export function isFarPage({ sort }: AssetQuery, skippedRows: number): boolean {
  return skippedRows > MAX_SKIPPED_ROWS && sort.by === 'created_at'
}

/** So many rows that most filters match a page of them, and so few that reading them takes some milliseconds. */
export const START_ROWS = 2000
/** If a page is not among so many rows, all matches are counted: the next request then finds their counts in the cache. */
export const MAX_START_ROWS = 16_000
/** The same for orders: a list of so many orders has an exact total. */
export const MAX_START_ORDERS = 8000
/** So few blocks are counted that a request can wait for them: every list of up to 8,000 assets has an exact total. */
export const MAX_AWAITED_BLOCKS = 8

type StartQuery = Pick<AssetQuery, 'page' | 'perPage' | 'exactTotal'> & { after?: object }

/** The rows of a page near the start. After a cursor no rows are skipped. */
export function startOf({ page, perPage, after }: StartQuery): { offset: number; limit: number } {
  return { offset: after === undefined ? (page - 1) * perPage : 0, limit: perPage }
}

/** Whether the page is near the start of the list, so that it can be returned before all matches are counted. */
export function mayHaveBounds(query: StartQuery): boolean {
  const { offset, limit } = startOf(query)
  return offset + limit <= MAX_SKIPPED_ROWS && query.exactTotal !== true
}

/** A page of a list of which only the first `scanned` rows were compared with the filter. All others may match. */
export function boundedRows<Row>(
  rows: Row[],
  { matches, scanned, all }: { matches: number; scanned: number; all: number },
): Rows<Row> {
  const total = all - scanned + matches
  return total === matches ? { rows, total } : { rows, total, atLeast: matches }
}

function hasTrigrams({ name = '', words = [] }: AssetQuery): boolean {
  return [name, ...words].some((text) => [...text].length >= TRIGRAM_LENGTH)
}

function filtersOf(query: AssetQuery) {
  const { words, name, kind, attached, sku, productId, ofProduct, folder, isDirect, tag } = query
  return [words, name, kind, attached, sku, productId, ofProduct, folder, isDirect, tag]
}

export function isFiltered(query: AssetQuery): boolean {
  return filtersOf(query).some((filter) => filter !== undefined)
}

/** Whether the query lists the assets of certain products. */
export function isByProduct({ sku, productId, ofProduct }: AssetQuery): boolean {
  return [sku, productId, ofProduct].some((filter) => filter !== undefined)
}

/** The cache key of the query's filters, within its account. */
export function filterKey(query: AssetQuery): string {
  return JSON.stringify(filtersOf(query))
}

/**
 * The columns of each sort order. Each sort order has an index. The ID comes last, so that rows with equal values
 * keep their order.
 */
export const SORT_COLUMNS: Record<SortKey, string[]> = {
  created_at: ['id'],
  filename: ['sort_name', 'id'],
  bytes: ['bytes', 'id'],
}

/** The IDs of all assets that match a filter, sorted, at a revision of the account. */
export interface SmallResult<Id> {
  revision: number
  ids: Id[]
}

/** A result with more matches is not small: its blocks are counted instead. */
export const MAX_SMALL_RESULT = 5000

const MAX_BYTES = 16_000_000
/** The size of a UUID as text. SQLite's numbers take less. */
const ID_BYTES = 64

/** Caches small results by account, filter and sort order. */
export function openSmallResultCache<Id>() {
  return openLruCache<SmallResult<Id>>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ ids }) => ID_BYTES * ids.length,
  })
}

export function pageOf<Id>(
  { ids }: SmallResult<Id>,
  { page, perPage }: { page: number; perPage: number },
): Id[] {
  return ids.slice((page - 1) * perPage, page * perPage)
}

/** Sorts the rows in the order of these IDs. */
export function inOrderOf<Id, Row>(ids: Id[], rows: Row[], idOf: (row: Row) => Id): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
