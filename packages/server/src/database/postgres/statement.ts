import type { PendingQuery, Row } from 'postgres'
import type { Sql } from './connection.ts'

/** A part of a statement. */
export type Fragment = PendingQuery<Row[]>

/** Joins the conditions by `and`. */
export function allOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}
