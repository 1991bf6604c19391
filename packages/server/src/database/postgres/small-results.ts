import type { Asset } from '../../domain/asset.ts'
import type { AssetQuery, Rows } from '../account-data.ts'
import {
  FEW,
  type Found,
  inOrder,
  type openFoundFew,
  pageOf,
} from '../listing/small-result-cache.ts'
import { behindCursor } from './asset-filter.ts'
import { atOneMoment, type Sql } from './connection.ts'
import { type ListedRow, listedAt } from './listed-at.ts'
import { ASSET_COLUMNS, toAsset } from './rows.ts'
import { allOf, type Fragment } from './statement.ts'

export type FoundFew = ReturnType<typeof openFoundFew<string>>

/** Finds assets where few match, and remembers which. */
export function findFew(sql: Sql, account: string, memory: FoundFew) {
  const ready = sql`account_id = ${account} and status = 'ready'`

  /** Undefined when there are too many. */
  async function find(order: Fragment, filter: Fragment[]): Promise<Found<string> | undefined> {
    const [found] = await sql<[{ ids: string[] | null; listed_at: number }]>`
      with found as materialized (
        select id, search_name, bytes from assets where ${allOf(sql, [ready, ...filter])}
        limit ${FEW + 1})
      select array_agg(id order by ${order}) as ids, ${listedAt(sql, account)} from found`
    const ids = found.ids ?? []
    return ids.length > FEW ? undefined : { ids, revision: found.listed_at }
  }

  async function read(found: Found<string>, query: AssetQuery): Promise<Rows<Asset> | 'changed'> {
    const ids = pageOf(found, query)
    const rows = await sql<ListedRow[]>`
      select ${sql(ASSET_COLUMNS)}, ${listedAt(sql, account)} from assets
      where ${ready} and id = any(${ids}::uuid[])`
    if (rows[0]?.listed_at !== found.revision) return 'changed'
    const ordered = inOrder(ids, [...rows], ({ id }) => id)
    return { rows: ordered.map(toAsset), total: found.ids.length }
  }

  /** Behind a cursor the rows are checked again: they are those of now, the total that of before. */
  async function readBehind(
    query: AssetQuery,
    { order, filter }: { order: Fragment; filter: Fragment[] },
  ): Promise<Rows<Asset> | undefined> {
    const found = await find(order, filter)
    if (found === undefined) return undefined
    const among = sql`id = any(${found.ids}::uuid[])`
    const conditions = [ready, among, ...filter, ...behindCursor(sql, query)]
    const rows = await sql<ListedRow[]>`
      select ${sql(ASSET_COLUMNS)} from assets where ${allOf(sql, conditions)}
      order by ${order} limit ${query.perPage}`
    return { rows: rows.map(toAsset), total: found.ids.length }
  }

  /** Undefined when there are too many. As long as nothing changes it is one statement. */
  return async (
    query: AssetQuery,
    { order, filter, key }: { order: Fragment; filter: Fragment[]; key: string },
  ): Promise<Rows<Asset> | undefined> => {
    if (query.after !== undefined) return readBehind(query, { order, filter })
    const name = JSON.stringify([account, key, query.sort])
    const known = memory.find(name)
    const recall = async () => (known === undefined ? 'changed' : read(known, query))
    const findAndRead = async () => {
      const found = await find(order, filter)
      if (found === undefined) return undefined
      // Without a row there is none to tell a revision later.
      if (pageOf(found, query).length === 0) return { rows: [], total: found.ids.length }
      memory.keep(name, found)
      return read(found, query)
    }
    // The last one sees what it found, whatever others change between its statements.
    for (const attempt of [recall, findAndRead, () => atOneMoment(sql, findAndRead)]) {
      const answer = await attempt()
      if (answer !== 'changed') return answer
    }
    throw new Error('one moment had two revisions')
  }
}
