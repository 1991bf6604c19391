import type { AssetQuery, AssetSort } from '../account-data.ts'
import type { Sql } from './connection.ts'
import type { Fragment } from './statement.ts'

/** Each has an index behind it that ends with the id, so that equal ones keep an order. */
const SORTS: Record<AssetSort['by'], string[]> = {
  created_at: ['id'],
  filename: ['search_name', 'id'],
  bytes: ['bytes', 'id'],
}

export function orderOf(sql: Sql, { by, descending }: AssetSort): Fragment {
  const direction = descending ? sql`desc` : sql`asc`
  const [first = 'id', second] = SORTS[by]
  return second
    ? sql`${sql(first)} ${direction}, ${sql(second)} ${direction}`
    : sql`${sql(first)} ${direction}`
}

/** The rows behind the query's cursor, in the order of its sort; no condition where it has none. */
export function behindCursor(sql: Sql, { sort, after }: AssetQuery): Fragment[] {
  if (after === undefined) return []
  const sign = sort.descending ? sql`<` : sql`>`
  if (after.value === undefined) return [sql`id ${sign} ${after.id}`]
  const columns = sql(SORTS[sort.by])
  return [sql`(${columns}) ${sign} (${after.value}, ${after.id})`]
}
