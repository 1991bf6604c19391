import type { Dialect } from '../shared/dialect.ts'
import { ASSET_COLUMNS, type AssetRow, UPLOAD_COLUMNS } from '../shared/rows.ts'
import { checksumOf, statementsOf } from '../shared/statements.ts'
import type { Fragment, Sql } from './connection.ts'

/** Lower than every ID. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Advisory locks of an account. These numbers distinguish them from each other. */
export const IDENTITY_LOCK = 10
export const BULK_JOBS_LOCK = 11
export const ASSET_LIMIT_LOCK = 12

export const POSTGRES: Dialect = {
  // Not `now()`, the time of the start of the transaction, which may have waited for a lock.
  clock: 'clock_timestamp()',
  later: (time, ms) => `${time} + ${ms} * interval '1 ms'`,
  earlier: (time, ms) => `${time} - ${ms} * interval '1 ms'`,
  flag: String,
  isIn: (column, list) => `${column} = any(:${list}::text[])`,
  isIdIn: (column, list) => `${column} = any(:${list}::uuid[])`,
  jsonArray: (...expressions) => `json_build_array(${expressions.join(', ')})`,
  nestedJson: (expression) => expression,
  jsonGroup: (expression, order) => `json_agg(${expression} order by ${order})`,
  lengthOfJson: (expression) => `json_array_length((${expression})::json)`,
  idType: 'uuid',
  id: (name) => `:${name}::uuid`,
  orderedIdsOf: (list) => `unnest(:${list}::uuid[]) with ordinality as ids (value, position)`,
  idsOf: (list) => `unnest(:${list}::uuid[]) as ids (value)`,
  joinInOrder: 'join',
  lock: 'for no key update',
  // `in (select … limit …)` may run more than once for one statement, and then changes more rows than the limit.
  isOneOf: (column, selection) =>
    `${column} = any(array(${selection} for no key update skip locked))`,
  lockKey: 'for key share',
  lockIdentities: `select pg_advisory_xact_lock(${IDENTITY_LOCK}, hashtext(:account::text))`,
  dayOf: (time) => `floor(extract(epoch from ${time}) / 86400)::integer`,
  handleOfProduct: 'h.product_id = p.id',
  attachment: {
    asset: 'l.asset_id',
    ofAsset: 'l.asset_id = a.id',
    ofProduct: 'l.product_id = p.id',
    key: 'a.id',
  },
}

export const STATEMENTS = statementsOf(POSTGRES)

/** A column with the integrity of the object with this key. */
export function checksumColumn(sql: Sql, key: string): Fragment {
  return sql.unsafe(checksumOf(POSTGRES, key))
}

/** All columns of an asset. `table` is the name of the table in the statement. */
export function assetColumns(sql: Sql, table: 'assets' | 'a' = 'assets'): Fragment {
  const columns = ASSET_COLUMNS.map((column) => `${table}.${column}`)
  return sql`${sql(columns)}, ${checksumColumn(sql, `coalesce(${table}.object_key, ${table}.id)`)}`
}

/** All columns of an upload, with the integrity of its object. */
export function uploadColumns(sql: Sql): Fragment {
  return sql`${sql(UPLOAD_COLUMNS)}, ${checksumColumn(sql, 'coalesce(assets.object_key, assets.id)')}`
}

/** A ready asset, without the columns that are the same for all ready assets of an account. */
export type PlainListedRow = Omit<AssetRow, 'account_id' | 'status'>
export const LISTED_COLUMNS = [
  ...ASSET_COLUMNS.filter((column) => column !== 'account_id' && column !== 'status'),
  checksumOf(POSTGRES, 'coalesce(assets.object_key, assets.id)'),
].join(', ')

export type ListedRow = AssetRow & { listed_at: number }

/** A column with the account's revision, as seen by the statement that reads the rows. */
export function listedAt(sql: Sql, account: string): Fragment {
  return sql`(select revision from accounts where id = ${account}) as listed_at`
}

/** The status of an upload: see `toUpload`. */
export function uploadStatus(sql: Sql): Fragment {
  return sql`case when became_version is null then status else 'ready' end`
}
