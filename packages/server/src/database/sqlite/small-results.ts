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
import { type AssetFilter, afterCursor, orderOf } from './asset-filter.ts'
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

interface Candidates {
  sql: string
  parameters: Record<string, string>
}

interface FindOptions {
  account: string
  query: AssetQuery
  filter: AssetFilter
}

/** The indexes that can find the assets: by folder, by name and by each word. The result of any of them may be small. */
function candidatesOf({ name = '', words = [], folder }: AssetQuery): Candidates[] {
  const match = matchExpression(name)
  const byName = match !== undefined && {
    sql: 'select rowid as seq from asset_names where asset_names match :match',
    parameters: { match },
  }
  // Uses the parameters of the filter.
  const byFolder = folder !== undefined && {
    sql: `select seq from assets where account_id = :account and status = 'ready'
         and folder >= :folder_from and folder < :folder_until`,
    parameters: {},
  }
  const byWords = words.map(
    (word, index) =>
      matchExpression(word) !== undefined && {
        sql: wordCandidates(index, MAX_SMALL_RESULT + 1),
        parameters: {},
      },
  )
  return [byFolder, byName, ...byWords].filter((candidates) => candidates !== false)
}

/** Finds assets through an index, if few match: by folder, or by the trigrams of a name or a word. */
export function prepareSmallResults({ prepare }: Connection) {
  const cache = openSmallResultCache<number>()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const rowsOf = prepare<ListedRow>(
    `select ${LISTED_COLUMNS} from assets where seq in (select value from json_each(:seqs))`,
  )

  /** The trigram index stores no positions, so the filter checks each candidate again. */
  function find(account: string, query: AssetQuery, filter: AssetFilter) {
    for (const candidates of candidatesOf(query)) {
      const result = findAmong(candidates, { account, query, filter })
      if (result !== undefined) return result
    }
    return undefined
  }

  function findAmong(candidates: Candidates, { account, query, filter }: FindOptions) {
    // The plus makes SQLite read the candidates instead of the account's index.
    const conditions = ['+account_id = :account', `+status = 'ready'`, ...filter.conditions]
    const statement = prepare<SmallResultRow>(
      `with candidates as materialized (
         ${candidates.sql}
         limit ${MAX_SMALL_RESULT + 1})
       select (select count(*) from candidates) as candidates,
         (select revision from accounts where id = :account) as revision,
         json_group_array(seq order by ${orderOf(query.sort)}) as seqs
       from assets
       where (select count(*) from candidates) <= ${MAX_SMALL_RESULT}
         and seq in (select seq from candidates)
         and ${conditions.join(' and ')}`,
    )
    const row = statement.get({ account, ...candidates.parameters, ...filter.parameters })
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

  return (account: string, query: AssetQuery, filter: AssetFilter): Rows<Asset> | undefined => {
    const key = JSON.stringify([account, filterKey(query), query.sort])
    const result = findCached(account, key) ?? find(account, query, filter)
    if (result === undefined) return undefined
    // The account's revision does not change when a product changes.
    if (!isByProduct(query)) cache.set(key, result)
    const rows = readPage(result, query).map(toListedAsset(account))
    return { rows, total: result.ids.length }
  }
}
