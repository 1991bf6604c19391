import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { filterKey, isByProduct } from '../listing/asset-filters.ts'
import {
  inOrderOf,
  MAX_SMALL_RESULT,
  openSmallResultCache,
  pageOf,
  type SmallResult,
} from '../listing/small-result-cache.ts'
import type { RunStep } from '../time-slicer.ts'
import { type AssetFilter, afterCursor, orderOf, PRODUCT_CONDITIONS } from './asset-filter.ts'
import { matchExpression } from './name-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import type { Connection } from './statement.ts'
import { wordCandidates } from './word-filter.ts'

interface SmallResultRow {
  candidates: number
  /** A JSON array. */
  seqs: string
  revision: number
}

/** Queries for rows that an index finds. All rows that match the filter are among them. */
interface Candidates {
  queries: string[]
  parameters: Record<string, string | number>
}

interface FindOptions {
  account: string
  query: AssetQuery
  filter: AssetFilter
}

/** The indexes that can find the assets: by product, by folder, by name and by each word. The result of any of them may be small. */
function candidatesOf({ account, query, filter }: FindOptions): Candidates[] {
  const { name = '', words = [], folder } = query
  const all: Candidates[] = []
  for (const [parameter, condition] of PRODUCT_CONDITIONS) {
    const value = filter.parameters[parameter]
    if (value === undefined) continue
    const sql = `select l.asset_seq as seq
      from products p cross join asset_products l on l.product_seq = p.seq
      where p.account_id = :account and ${condition}`
    all.push({ queries: [sql], parameters: { account, [parameter]: value } })
  }
  if (folder !== undefined) {
    const { folder_from = '', folder_until = '' } = filter.parameters
    const sql = `select seq from assets where account_id = :account and status = 'ready'
      and folder >= :folder_from and folder < :folder_until`
    all.push({ queries: [sql], parameters: { account, folder_from, folder_until } })
  }
  const match = matchExpression(name)
  if (match !== undefined) {
    const sql = 'select rowid as seq from asset_names where asset_names match :match'
    all.push({ queries: [sql], parameters: { match } })
  }
  for (const [index, word] of words.entries()) {
    const match = matchExpression(word)
    if (match === undefined) continue
    all.push({ queries: wordCandidates(index), parameters: { [`match${index}`]: match } })
  }
  return all
}

/** Finds assets through an index, if few match: by product, by folder, or by the trigrams of a name or a word. */
export function prepareSmallResults({ prepare }: Connection, runStep: RunStep) {
  const cache = openSmallResultCache<number>()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const rowsOf = prepare<ListedRow>(
    `select ${LISTED_COLUMNS} from assets where seq in (select value from json_each(:seqs))`,
  )

  /** The trigram index stores no positions, so the filter checks each candidate again. */
  function findAmong({ queries, parameters }: Candidates, options: FindOptions) {
    const { account, query, filter } = options
    const limited = queries.map((sql) => `select seq from (${sql} limit ${MAX_SMALL_RESULT + 1})`)
    // Counting is several times as fast as combining the candidates of all queries.
    if (limited.length > 1) {
      const counts = limited.map((sql) => `(select count(*) from (${sql})) > ${MAX_SMALL_RESULT}`)
      const some = prepare<{ many: number }>(`select ${counts.join(' or ')} as many`)
      if (some.get(parameters)?.many === 1) return undefined
    }
    // The plus makes SQLite read the candidates instead of the account's index.
    const conditions = ['+account_id = :account', `+status = 'ready'`, ...filter.conditions]
    const statement = prepare<SmallResultRow>(
      `with candidates as materialized (
         select seq from (${limited.join(' union ')}) limit ${MAX_SMALL_RESULT + 1})
       select (select count(*) from candidates) as candidates,
         (select revision from accounts where id = :account) as revision,
         json_group_array(seq order by ${orderOf(query.sort)}) as seqs
       from assets
       where (select count(*) from candidates) <= ${MAX_SMALL_RESULT}
         and seq in (select seq from candidates)
         and ${conditions.join(' and ')}`,
    )
    const row = statement.get({ account, ...parameters, ...filter.parameters })
    if (row === undefined || row.candidates > MAX_SMALL_RESULT) return undefined
    return { revision: row.revision, ids: JSON.parse(row.seqs) as number[] }
  }

  /** The cached result, unless the account's assets have changed since. */
  function findCached(account: string, key: string): SmallResult<number> | undefined {
    const cached = cache.get(key)
    if (cached === undefined) return undefined
    return currentRevision.get({ account })?.revision === cached.revision ? cached : undefined
  }

  function readPage(result: SmallResult<number>, query: AssetQuery): ListedRow[] {
    if (query.after === undefined) {
      const seqs = pageOf(result, query)
      return inOrderOf(seqs, rowsOf.all({ seqs: JSON.stringify(seqs) }), ({ seq }) => seq)
    }
    const { conditions, parameters } = afterCursor(query)
    const next = prepare<ListedRow>(
      `select ${LISTED_COLUMNS} from assets
       where seq in (select value from json_each(:seqs)) and ${conditions.join(' and ')}
       order by ${orderOf(query.sort)} limit +:limit`,
    )
    return next.all({ seqs: JSON.stringify(result.ids), limit: query.perPage, ...parameters })
  }

  return async (
    account: string,
    query: AssetQuery,
    filter: AssetFilter,
  ): Promise<Rows<Asset> | undefined> => {
    const key = JSON.stringify([account, filterKey(query), query.sort])
    const pageIn = (result: SmallResult<number>): Rows<Asset> => {
      const rows = readPage(result, query).map(toListedAsset(account))
      return { rows, total: result.ids.length }
    }
    const cached = findCached(account, key)
    if (cached !== undefined) return pageIn(cached)
    const options = { account, query, filter }
    // A search may have many words. Each is tried in its own turn of the event loop, so that other requests run.
    for (const candidates of candidatesOf(options)) {
      const page = await runStep(account, () => {
        const result = findAmong(candidates, options)
        if (result === undefined) return undefined
        // The account's revision does not change with every change of a product.
        if (!isByProduct(query)) cache.set(key, result)
        return pageIn(result)
      })
      if (page !== undefined) return page
    }
    return undefined
  }
}
