import { folderRange } from '../../domain/asset-path.ts'
import type { AssetQuery, AssetSort } from '../account-data.ts'
import { SORT_COLUMNS } from '../listing/sort-columns.ts'
import type { Sql } from './connection.ts'
import { containing } from './name-filter.ts'
import type { Fragment } from './statement.ts'
import { wordFilter } from './word-filter.ts'

export function orderOf(sql: Sql, { by, descending }: AssetSort): Fragment {
  const direction = descending ? sql`desc` : sql`asc`
  const [first = 'id', second] = SORT_COLUMNS[by]
  return second
    ? sql`${sql(first)} ${direction}, ${sql(second)} ${direction}`
    : sql`${sql(first)} ${direction}`
}

/** Matches the rows after the query's cursor, in its sort order. Without a cursor, there is no condition. */
export function afterCursor(sql: Sql, { sort, after }: AssetQuery): Fragment[] {
  if (after === undefined) return []
  const sign = sort.descending ? sql`<` : sql`>`
  if (after.value === undefined) return [sql`id ${sign} ${after.id}`]
  const columns = sql(SORT_COLUMNS[sort.by])
  return [sql`(${columns}) ${sign} (${after.value}, ${after.id})`]
}

/**
 * The conditions of the query's filters. `nameBy` chooses how a name or a folder is found: by its index, or
 * by reading every row, which is faster within a block.
 */
export function conditionsOf(
  sql: Sql,
  account: string,
  query: AssetQuery,
  nameBy: 'index' | 'scan',
): Fragment[] {
  const { name, kind, attached, sku, productId, ofProduct, folder } = query
  const attachedTo = (condition: Fragment) => sql`id in (
    select l.asset_id from products p join asset_products l on l.product_id = p.id
    where p.account_id = ${account} and ${condition})`
  const conditions: Fragment[] = []
  if (name !== undefined) {
    const isIndexed = nameBy === 'index'
    conditions.push(
      isIndexed ? sql`search_name like ${containing(name)}` : sql`strpos(search_name, ${name}) > 0`,
    )
  }
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (attached !== undefined) conditions.push(sql`linked = ${attached}`)
  if (sku !== undefined) conditions.push(attachedTo(sql`p.sku = ${sku}`))
  if (productId !== undefined) conditions.push(attachedTo(sql`p.product_id = ${productId}`))
  if (ofProduct !== undefined) conditions.push(attachedTo(sql`p.id = ${ofProduct}`))
  if (folder !== undefined) {
    const { from, until } = folderRange(folder)
    // A scan reads an expression, so that PostgreSQL does not use the index of folders.
    const value = nameBy === 'index' ? sql`folder` : sql`(folder || '')`
    conditions.push(sql`folder is not null and ${value} >= ${from} and ${value} < ${until}`)
  }
  return [...conditions, ...wordFilter(sql, account, query.words ?? [], nameBy)]
}
