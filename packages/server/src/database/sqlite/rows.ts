import type { Asset, AssetStatus } from '../../domain/asset.ts'
import type { Dialect } from '../shared/dialect.ts'
import {
  type ProductRow as AnyProductRow,
  PRODUCT_COLUMNS as PRODUCT,
} from '../shared/product-rows.ts'
import {
  type AssetRow as AnyAssetRow,
  type UploadRow as AnyUploadRow,
  ASSET_COLUMNS as ASSET,
  toAssetOf,
  UPLOAD_COLUMNS as UPLOAD,
} from '../shared/rows.ts'
import { checksumOf, statementsOf } from '../shared/statements.ts'

/** A row with the values that SQLite stores: numbers for times and flags, and texts for JSON. */
export type Stored<Row> = { [Name in keyof Row]: Exclude<Row[Name], object | boolean> }

export type AssetRow = Stored<AnyAssetRow> & { seq: number }
export type UploadRow = Stored<AnyUploadRow> & { seq: number }
export type ProductRow = Stored<AnyProductRow> & { seq: number }

export const SQLITE: Dialect = {
  clock: ':clock',
  later: (time, ms) => `${time} + ${ms}`,
  earlier: (time, ms) => `${time} - ${ms}`,
  flag: (value) => (value ? '1' : '0'),
  isIn: (column, list) => `${column} in (select value from json_each(:${list}))`,
  isIdIn: (column, list) => `${column} in (select value from json_each(:${list}))`,
  jsonArray: (...expressions) => `json_array(${expressions.join(', ')})`,
  nestedJson: (expression) => `json(${expression})`,
  jsonGroup: (expression, order) => `json_group_array(${expression} order by ${order})`,
  lengthOfJson: (expression) => `json_array_length(${expression})`,
  idType: 'text',
  id: (name) => `:${name}`,
  orderedIdsOf: (list) => `(select value, key + 1 as position from json_each(:${list})) as ids`,
  idsOf: (list) => `json_each(:${list})`,
  joinInOrder: 'cross join',
  // One transaction writes at a time.
  lock: '',
  isOneOf: (column, selection) => `${column} in (${selection})`,
  lockKey: '',
  lockIdentities: 'select :account',
  // node:sqlite binds every number as a floating-point number.
  dayOf: (time) => `cast(${time} / 86400000 as integer)`,
  handleOfProduct: 'h.product_seq = p.seq',
  attachment: {
    asset: 'l.asset_seq',
    ofAsset: 'l.asset_seq = a.seq',
    ofProduct: 'l.product_seq = p.seq',
    key: 'a.seq',
  },
}

export const STATEMENTS = statementsOf(SQLITE)

const CHECKSUM = checksumOf(SQLITE, 'coalesce(assets.object_key, assets.id)')

export const ASSET_COLUMNS = `seq, ${ASSET.join(', ')}, ${CHECKSUM}`
export const UPLOAD_COLUMNS = `seq, ${UPLOAD.join(', ')}, ${CHECKSUM}`
export const PRODUCT_COLUMNS = `seq, ${PRODUCT.join(', ')}`

/** A ready asset, without the columns that are the same for all ready assets of an account. */
export type ListedRow = Omit<AssetRow, 'account_id' | 'status'>
export const PLAIN_LISTED_COLUMNS =
  'seq, id, kind, filename, bytes, mime, url, created_at, folder, version, updated_at, tags, inline'
export const LISTED_COLUMNS = `${PLAIN_LISTED_COLUMNS}, ${CHECKSUM}`

export function toListedAsset(accountId: string): (row: ListedRow) => Asset {
  return (row) => toAssetOf(accountId, 'ready', row)
}

export const OWN_ASSET = 'id = :id and account_id = :account'

/** The status of an upload: see `toUpload`. */
export const UPLOAD_STATUS = `iif(became_version is null, status, 'ready')`

/** The SQL of a status change by compare-and-set: `from` is part of the condition. */
export function transition(from: AssetStatus, to: AssetStatus): string {
  return `update assets set status = '${to}', changed_at = :now where ${OWN_ASSET} and status = '${from}'`
}
