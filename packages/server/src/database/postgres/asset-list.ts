import type { Asset } from '../../domain/asset.ts'
import { stretchOf } from '../../domain/paging.ts'
import { TRIGRAM_LENGTH } from '../../domain/search-text.ts'
import type { AccountData, AssetQuery, Rows } from '../account-data.ts'
import type { Tallies } from '../listing/counts-cache.ts'
import { countBlocks } from './asset-blocks.ts'
import { behindCursor, orderOf } from './asset-filter.ts'
import type { Sql } from './connection.ts'
import { type ListedRow, listedAt } from './listed-at.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import { type FoundFew, findFew } from './small-results.ts'
import { allOf, containing, type Fragment } from './statement.ts'

/** Up to so many rows are skipped sooner than blocks are looked up. */
const NEAR = 2000

type CountedRow = AssetRow & { total: number }

/** What is remembered of lists, of all accounts. */
export interface ListMemory {
  tallies: Tallies
  few: FoundFew
}

export function ownAssetList(
  sql: Sql,
  account: string,
  memory: ListMemory,
): Pick<AccountData, 'listAssets'> {
  const blocks = countBlocks(sql, account, memory.tallies)
  const listFew = findFew(sql, account, memory.few)
  const ready = sql`account_id = ${account} and status = 'ready'`
  const columns = sql(ASSET_COLUMNS)

  const linkedTo = (condition: Fragment) => sql`id in (
    select l.asset_id from products p join asset_products l on l.product_id = p.id
    where p.account_id = ${account} and ${condition})`

  /** All but the name, which is looked for in two ways. */
  function conditionsOf({ kind, linked, sku, productId, ofProduct }: AssetQuery): Fragment[] {
    const conditions: Fragment[] = []
    if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
    if (linked !== undefined) conditions.push(sql`linked = ${linked}`)
    if (sku !== undefined) conditions.push(linkedTo(sql`p.sku = ${sku}`))
    if (productId !== undefined) conditions.push(linkedTo(sql`p.product_id = ${productId}`))
    if (ofProduct !== undefined) conditions.push(linkedTo(sql`p.id = ${ofProduct}`))
    return conditions
  }

  /** Rows are skipped one by one, from whichever end is nearer. */
  async function readPage(query: AssetQuery, total: number, filter: Fragment[]) {
    const { isFromEnd, offset, limit } = stretchOf(query, total)
    if (limit === 0) return []
    const { by, descending } = query.sort
    const order = orderOf(sql, { by, descending: descending !== isFromEnd })
    const conditions = [ready, ...filter, ...behindCursor(sql, query)]
    // What is skipped is read from the index alone.
    const rows = await sql<ListedRow[]>`
      select ${columns}, ${listedAt(sql, account)} from assets
      where id = any(array(
        select id from assets where ${allOf(sql, conditions)}
        order by ${order} limit ${limit} offset ${offset}))
      order by ${order}`
    return isFromEnd ? [...rows].reverse() : [...rows]
  }

  async function readTotal(): Promise<number> {
    const [row] = await sql<{ total: number }[]>`
      select asset_count as total from accounts where id = ${account}`
    return row?.total ?? 0
  }

  async function listWithoutFilter(query: AssetQuery): Promise<Rows<Asset>> {
    const offset = query.after === undefined ? (query.page - 1) * query.perPage : 0
    if (offset <= NEAR) {
      const conditions = [ready, ...behindCursor(sql, query)]
      const rows = await sql<CountedRow[]>`
        select ${columns}, (select asset_count from accounts where id = ${account}) as total
        from assets where ${allOf(sql, conditions)}
        order by ${orderOf(sql, query.sort)} limit ${query.perPage} offset ${offset}`
      return { rows: rows.map(toAsset), total: rows[0]?.total ?? (await readTotal()) }
    }
    if (query.sort.by === 'created_at') return listByBlocks(query, [])
    const total = await readTotal()
    return { rows: (await readPage(query, total, [])).map(toAsset), total }
  }

  /** Assets of certain products are few enough to be counted each time. */
  async function listOfProducts(query: AssetQuery, filter: Fragment[]): Promise<Rows<Asset>> {
    const [row] = await sql<{ total: number }[]>`
      select count(*) as total from assets where ${allOf(sql, [ready, ...filter])}`
    const total = row?.total ?? 0
    return { rows: (await readPage(query, total, filter)).map(toAsset), total }
  }

  function listByBlocks(query: AssetQuery, conditions: Fragment[]): Promise<Rows<Asset>> {
    const filter = { key: keyOf(query), conditions }
    return blocks.withTally(filter, (tally) =>
      query.sort.by === 'created_at'
        ? blocks.readPage(query, tally, filter)
        : readPage(query, tally.total, conditions),
    )
  }

  return {
    async listAssets(query) {
      const { name } = query
      const others = conditionsOf(query)
      if (name === undefined && others.length === 0) return listWithoutFilter(query)
      const { sku, productId, ofProduct } = query
      const isOfProducts = [sku, productId, ofProduct].some((filter) => filter !== undefined)
      const like = name === undefined ? [] : [sql`search_name like ${containing(name)}`]
      if (isOfProducts) return listOfProducts(query, [...like, ...others])
      const hasTrigrams = name !== undefined && [...name].length >= TRIGRAM_LENGTH
      if (hasTrigrams && !blocks.isKnown(keyOf(query))) {
        const few = await listFew(query, {
          key: keyOf(query),
          filter: [...like, ...others],
          order: orderOf(sql, query.sort),
        })
        if (few !== undefined) return few
      }
      // Not by the index of trigrams, which would be asked again for each block.
      const within = name === undefined ? [] : [sql`strpos(search_name, ${name}) > 0`]
      return listByBlocks(query, [...within, ...others])
    },
  }
}

/** Names the filter among the tallies of the account. */
function keyOf({ name, kind, linked }: AssetQuery): string {
  return JSON.stringify([name, kind, linked])
}
