import type { Asset } from '../../domain/asset.ts'
import { TRIGRAM_LENGTH } from '../../domain/search-text.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { filterKey, isByProduct } from '../listing/asset-filters.ts'
import {
  inOrderOf,
  MAX_SMALL_RESULT,
  type openSmallResultCache,
  pageOf,
  type SmallResult,
} from '../listing/small-result-cache.ts'
import { afterCursor, conditionsOf, orderOf } from './asset-filter.ts'
import { inSnapshot, type Sql } from './connection.ts'
import { assetColumns, type ListedRow, listedAt, toAsset } from './rows.ts'
import { allOf, type Fragment } from './statement.ts'
import { wordCandidates } from './word-filter.ts'

/** A number of rows that no account has. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Whether the query also has a filter, besides the words, that an index supports. */
function hasIndexedFilter({ name = '', folder }: AssetQuery): boolean {
  return [...name].length >= TRIGRAM_LENGTH || folder !== undefined
}

export type SmallResultCache = ReturnType<typeof openSmallResultCache<string>>

/** Finds assets through an index, if few match: by folder, or by the trigrams of a name or a word. */
export function smallResults(sql: Sql, account: string, cache: SmallResultCache) {
  const ready = sql`account_id = ${account} and status = 'ready'`

  async function find(query: AssetQuery): Promise<SmallResult<string> | undefined> {
    const { words } = query
    if (words === undefined) return findAmong(query, [])
    const counts = await countCandidates(words)
    const [fewest] = words
      .map((word, index) => ({ word, count: counts[index] ?? Infinity }))
      .sort((a, b) => a.count - b.count)
    if (fewest === undefined || fewest.count > MAX_SMALL_RESULT) {
      return hasIndexedFilter(query) ? findAmong(query, []) : undefined
    }
    const candidates = wordCandidates(sql, account, { word: fewest.word, limit: NO_LIMIT })
    return findAmong(query, [sql`id in (select id from (${candidates}) candidates)`])
  }

  /** The number of assets that have each word. Counting stops above the size of a small result. */
  async function countCandidates(words: string[]): Promise<number[]> {
    const counts = words.map((word) => {
      const candidates = wordCandidates(sql, account, { word, limit: MAX_SMALL_RESULT + 1 })
      return [...word].length < TRIGRAM_LENGTH
        ? sql`select ${MAX_SMALL_RESULT + 1}::bigint`
        : sql`select count(*) from (${candidates}) candidates`
    })
    const rows = counts.map(
      (count, index) => sql`select ${index}::int as index, (${count}) as count`,
    )
    const found = await sql<{ index: number; count: number }[]>`
      ${rows.reduce((all, row) => sql`${all} union all ${row}`)} order by index`
    return found.map(({ count }) => count)
  }

  async function findAmong(
    query: AssetQuery,
    candidates: Fragment[],
  ): Promise<SmallResult<string> | undefined> {
    const filter = [...candidates, ...conditionsOf(sql, account, query, 'index')]
    const [found] = await sql<[{ ids: string[] | null; listed_at: number }]>`
      with found as materialized (
        select id, sort_name, bytes from assets where ${allOf(sql, [ready, ...filter])}
        limit ${MAX_SMALL_RESULT + 1})
      select array_agg(id order by ${orderOf(sql, query.sort)}) as ids, ${listedAt(sql, account)}
      from found`
    const ids = found.ids ?? []
    return ids.length > MAX_SMALL_RESULT ? undefined : { ids, revision: found.listed_at }
  }

  async function read(
    result: SmallResult<string>,
    query: AssetQuery,
  ): Promise<Rows<Asset> | 'changed'> {
    const ids = pageOf(result, query)
    const rows = await sql<ListedRow[]>`
      select ${assetColumns(sql)}, ${listedAt(sql, account)} from assets
      where ${ready} and id = any(${ids}::uuid[])`
    if (rows[0]?.listed_at !== result.revision) return 'changed'
    const ordered = inOrderOf(ids, [...rows], ({ id }) => id)
    return { rows: ordered.map(toAsset), total: result.ids.length }
  }

  /** The second statement checks the filter again: the rows are current, the total may be older. */
  async function readAfterCursor(query: AssetQuery): Promise<Rows<Asset> | undefined> {
    const result = await find(query)
    if (result === undefined) return undefined
    const filter = conditionsOf(sql, account, query, 'index')
    const among = sql`id = any(${result.ids}::uuid[])`
    const conditions = [ready, among, ...filter, ...afterCursor(sql, query)]
    const rows = await sql<ListedRow[]>`
      select ${assetColumns(sql)} from assets where ${allOf(sql, conditions)}
      order by ${orderOf(sql, query.sort)} limit ${query.perPage}`
    return { rows: rows.map(toAsset), total: result.ids.length }
  }

  return async (query: AssetQuery): Promise<Rows<Asset> | undefined> => {
    // PostgreSQL combines the indexes of names and products itself.
    if (isByProduct(query)) return undefined
    if (query.after !== undefined) return readAfterCursor(query)
    const key = JSON.stringify([account, filterKey(query), query.sort])
    const cached = cache.get(key)
    const readCached = async () => (cached === undefined ? 'changed' : read(cached, query))
    const findAndRead = async () => {
      const result = await find(query)
      if (result === undefined) return undefined
      // A page without rows returns no revision to compare later.
      if (pageOf(result, query).length === 0) return { rows: [], total: result.ids.length }
      cache.set(key, result)
      return read(result, query)
    }
    // While nothing changes, the first attempt succeeds in one statement. The last attempt always succeeds.
    for (const attempt of [readCached, findAndRead, () => inSnapshot(sql, findAndRead)]) {
      const page = await attempt()
      if (page !== 'changed') return page
    }
    throw new Error('one snapshot returned two revisions')
  }
}
