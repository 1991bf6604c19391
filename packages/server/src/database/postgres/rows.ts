import type { AssetStatus } from '../../domain/asset.ts'
import { ASSET_COLUMNS, type AssetRow, UPLOAD_COLUMNS } from '../shared/rows.ts'
import type { Fragment, Sql } from './connection.ts'

/** A column with the integrity of the object with this key. */
export function checksumOf(sql: Sql, key: Fragment): Fragment {
  return sql`(select json_build_array(c.sha256, c.verified_at, c.damaged, c.withheld_for is not null) from checksums c
    where c.object_key = ${key}) as checksum`
}

/** A condition: downloads do not get the object with this key. */
export function isWithheld(sql: Sql, key: Fragment): Fragment {
  return sql`exists (
    select from checksums c where c.object_key = ${key} and c.withheld_for is not null)`
}

/** All columns of an asset. `table` is the name of the table in the statement. */
export function assetColumns(sql: Sql, table: 'assets' | 'a' = 'assets'): Fragment {
  const key = sql`coalesce(${sql(`${table}.object_key`)}, ${sql(`${table}.id`)})`
  const columns = ASSET_COLUMNS.map((column) => `${table}.${column}`)
  return sql`${sql(columns)}, ${checksumOf(sql, key)}`
}

/** All columns of an upload, with the integrity of its object. */
export function uploadColumns(sql: Sql): Fragment {
  const key = sql`coalesce(assets.object_key, assets.id)`
  return sql`${sql(UPLOAD_COLUMNS)}, ${checksumOf(sql, key)}`
}

export type ListedRow = AssetRow & { listed_at: number }

/** A column with the account's revision, as seen by the statement that reads the rows. */
export function listedAt(sql: Sql, account: string): Fragment {
  return sql`(select revision from accounts where id = ${account}) as listed_at`
}

/** The status as the API sees it: a completed replacement is ready, although its row is `deleted`. */
export function currentStatus(sql: Sql): Fragment {
  return sql`case when became_version is null then status else 'ready' end`
}

/**
 * Changes a status by compare-and-set. If nothing was changed, the current status is the reason. If that is
 * `from`, the asset got this status between the two statements, and the change is tried again.
 */
export async function transition<Status>(step: {
  from: AssetStatus
  to: AssetStatus
  change(): Promise<boolean>
  readStatus(): Promise<Status>
}): Promise<{ won: boolean; status: Status | AssetStatus }> {
  for (;;) {
    if (await step.change()) return { won: true, status: step.to }
    const status = await step.readStatus()
    if (status !== step.from) return { won: false, status }
  }
}
