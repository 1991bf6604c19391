import type { Asset } from '../../domain/asset.ts'
import { TRIGRAM_LENGTH } from '../../domain/search-text.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { isByProduct, isFiltered } from './asset-filters.ts'

/** Skipping up to this many rows is faster than looking up blocks. */
export const MAX_SKIPPED_ROWS = 2000

type Page = Rows<Asset>

/** The ways in which an engine can read a page of an account's assets. */
export interface ListingStrategies {
  /** Lists all assets. The account has a counter of them, so that only the page must be found. */
  listAll(): Page | Promise<Page>
  /**
   * Looks the name or a word up in the trigram index, or the folder in its index, and caches the IDs of all
   * matches. Undefined when no index limits the candidates to `MAX_SMALL_RESULT` assets, or when `countRows` is faster.
   */
  findSmallResult(): Page | undefined | Promise<Page | undefined>
  /** Counts the matches on every call. */
  countRows(): Page | Promise<Page>
  /** Counts the matches of each block and caches the counts, so that only changed blocks are counted again. */
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
  if ((hasTrigrams(query) || query.folder !== undefined) && !strategies.hasBlockCounts()) {
    const page = await strategies.findSmallResult()
    if (page !== undefined) return page
  }
  // A product has few assets, and the account's revision does not change with every change of a product.
  return isByProduct(query) ? strategies.countRows() : strategies.countBlocks()
}

/** Whether block counts find a page of the unfiltered list faster than skipping this many rows. */
export function isFarPage({ sort }: AssetQuery, skippedRows: number): boolean {
  return skippedRows > MAX_SKIPPED_ROWS && sort.by === 'created_at'
}

function hasTrigrams({ name = '', words = [] }: AssetQuery): boolean {
  return [name, ...words].some((text) => [...text].length >= TRIGRAM_LENGTH)
}
