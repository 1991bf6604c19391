import type { Sql } from './connection.ts'
import type { AssetRow } from './rows.ts'
import type { Fragment } from './statement.ts'

export type ListedRow = AssetRow & { listed_at: number }

/** The account's revision, as the statement that reads its rows sees it. */
export function listedAt(sql: Sql, account: string): Fragment {
  return sql`(select revision from accounts where id = ${account}) as listed_at`
}
