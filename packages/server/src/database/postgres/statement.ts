import type { PendingQuery, Row } from 'postgres'
import type { Rows } from '../account-data.ts'
import type { Sql } from './connection.ts'

/** A part of a statement. */
export type Fragment = PendingQuery<Row[]>

/** Joins the conditions by `and`. */
export function allOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

type Marked<Row> = Row & { is_row: true | null; page_total: number }

/**
 * Reads a page and the total of its list in one statement, so that they match while others change the list.
 * `count` selects `total`, `page` selects the rows of the page, and `order` is their sort order, in columns of the page.
 */
export async function readPageWithTotal<Row extends object>(
  sql: Sql,
  { count, page, order }: { count: Fragment; page: Fragment; order: Fragment },
): Promise<Rows<Row>> {
  // For an empty page, the join returns one row: it has the total, and null in the columns of the page.
  const rows = await sql<Marked<Row>[]>`
    select counted.total as page_total, page.*
    from (${count}) counted left join (select true as is_row, page.* from (${page}) page) page on true
    order by ${order}`
  const total = rows[0]?.page_total ?? 0
  return {
    rows: rows.flatMap(({ is_row, page_total, ...row }) => (is_row ? [row as Row] : [])),
    total,
  }
}
