import type { PendingQuery, Row } from 'postgres'
import type { Sql } from './connection.ts'

/** A part of a statement. */
export type Fragment = PendingQuery<Row[]>

export function allOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

/** A pattern that means the text itself, anywhere. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}
