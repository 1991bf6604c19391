import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import { FEW, type Found, inOrder, openFoundFew, pageOf } from '../listing/small-result-cache.ts'
import { type AssetFilter, behindCursor, isOfProducts, orderOf } from './asset-filter.ts'
import { matchExpression } from './name-filter.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import type { Connection } from './statement.ts'

interface FoundRow {
  candidates: number
  /** A JSON array. */
  seqs: string
  revision: number
}

/** Finds assets by the trigrams of the name, where few names have them. */
export function prepareFewAssets({ prepare }: Connection) {
  const memory = openFoundFew<number>()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const rowsOf = prepare<ListedRow>(
    `select ${LISTED_COLUMNS} from assets where seq in (select value from json_each(:seqs))`,
  )

  /** The index holds no positions, so each is looked at once more. */
  function find(account: string, query: AssetQuery, filter: AssetFilter) {
    const match = matchExpression(query.name ?? '')
    if (match === undefined) return undefined
    // The plus keeps SQLite from walking the account's index instead of the few rows that are named.
    const conditions = ['+account_id = :account', `+status = 'ready'`, ...filter.conditions]
    const statement = prepare<FoundRow>(
      `with candidates as materialized (
         select rowid as seq from asset_names where asset_names match :match limit ${FEW + 1})
       select (select count(*) from candidates) as candidates,
         (select revision from accounts where id = :account) as revision,
         json_group_array(seq order by ${orderOf(query.sort)}) as seqs
       from assets
       where (select count(*) from candidates) <= ${FEW} and seq in (select seq from candidates)
         and ${conditions.join(' and ')}`,
    )
    const row = statement.get({ account, match, ...filter.parameters })
    if (row === undefined || row.candidates > FEW) return undefined
    return { revision: row.revision, ids: JSON.parse(row.seqs) as number[] }
  }

  /** Those that were found before, unless anything has changed since. */
  function recall(account: string, key: string): Found<number> | undefined {
    const known = memory.find(key)
    if (known === undefined) return undefined
    return currentRevision.get({ account })?.revision === known.revision ? known : undefined
  }

  function readPage(found: Found<number>, query: AssetQuery): ListedRow[] {
    if (query.after === undefined) {
      const seqs = pageOf(found, query)
      return inOrder(seqs, rowsOf.all({ seqs: JSON.stringify(seqs) }), ({ seq }) => seq)
    }
    const { conditions, parameters } = behindCursor(query)
    const behind = prepare<ListedRow>(
      `select ${LISTED_COLUMNS} from assets
       where seq in (select value from json_each(:seqs)) and ${conditions.join(' and ')}
       order by ${orderOf(query.sort)} limit +:limit`,
    )
    return behind.all({ seqs: JSON.stringify(found.ids), limit: query.perPage, ...parameters })
  }

  /** Undefined when there are too many, or the name is too short. */
  return (account: string, query: AssetQuery, filter: AssetFilter): Rows<Asset> | undefined => {
    const key = JSON.stringify([account, filter.parameters, query.sort])
    const found = recall(account, key) ?? find(account, query, filter)
    if (found === undefined) return undefined
    // What products change is not seen by the account's revision.
    if (!isOfProducts(query)) memory.keep(key, found)
    const rows = readPage(found, query).map(toListedAsset(account))
    return { rows, total: found.ids.length }
  }
}
