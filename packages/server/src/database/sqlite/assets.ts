import type { DatabaseSync } from 'node:sqlite'
import type { Asset } from '../../domain/asset.ts'
import { TRIGRAM_LENGTH, trigrams } from '../../domain/search-text.ts'
import type { AssetQuery, AssetRows } from '../database.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import { prepare } from './statement.ts'

const READY = `from assets where account_id = :account and status = 'ready'`
const NEWEST_FIRST = 'order by id desc limit :limit offset :offset'
/** The index holds no positions, so each candidate's text is looked at once more. */
const CONTAINS = 'and instr(search_name, :name) > 0'
const INDEXED = 'and seq in (select rowid from asset_names where asset_names match :match)'

export function prepareAssets(connection: DatabaseSync) {
  const byId = prepare<AssetRow>(
    connection,
    `select ${ASSET_COLUMNS} from assets where account_id = :account and id = :id`,
  )
  const counted = prepare<{ total: number }>(
    connection,
    'select asset_count as total from accounts where id = :account',
  )
  const listing = (condition: string) => ({
    page: prepare<AssetRow>(
      connection,
      `select ${ASSET_COLUMNS} ${READY} ${condition} ${NEWEST_FIRST}`,
    ),
    count: prepare<{ total: number }>(connection, `select count(*) as total ${READY} ${condition}`),
  })
  const all = { ...listing(''), count: counted }
  const byName = listing(`${CONTAINS} ${INDEXED}`)
  // One and two letters are no trigram: they are looked for in every name.
  const byShortName = listing(CONTAINS)

  function statementsFor(name: string | undefined) {
    if (name === undefined || name === '') return { ...all, filter: {} }
    if ([...name].length < TRIGRAM_LENGTH) return { ...byShortName, filter: { name } }
    return { ...byName, filter: { name, match: matchExpression(name) } }
  }

  return {
    findAsset(account: string, id: string): Asset | undefined {
      const row = byId.get({ account, id })
      return row && toAsset(row)
    },

    listAssets(account: string, query: AssetQuery): AssetRows {
      const { page, count, filter } = statementsFor(query.name)
      const total = count.get({ account, ...filter })?.total ?? 0
      const offset = (query.page - 1) * query.perPage
      if (offset >= total) return { assets: [], total }
      const rows = page.all({ account, ...filter, limit: query.perPage, offset })
      return { assets: rows.map(toAsset), total }
    },
  }
}

/** All trigrams of the text, each quoted: nothing in a name is an operator. */
function matchExpression(name: string): string {
  return trigrams(name)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' AND ')
}
