import type { Asset, AssetStatus } from '../../domain/asset.ts'
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

/** A row with the values that SQLite stores: numbers for times and flags, and texts for JSON. */
export type Stored<Row> = { [Name in keyof Row]: Exclude<Row[Name], object | boolean> }

export type AssetRow = Stored<AnyAssetRow> & { seq: number }
export type UploadRow = Stored<AnyUploadRow> & { seq: number }
export type ProductRow = Stored<AnyProductRow> & { seq: number }

/** A column with the integrity of the object with this key, as a JSON array. */
export function checksumOf(key: string): string {
  return `(select json_array(c.sha256, c.verified_at, c.damaged, c.withheld_for is not null) from checksums c
    where c.object_key = ${key}) as checksum`
}

/** A condition: downloads do not get the object with this key. */
export function isWithheld(key: string): string {
  return `exists (
    select 1 from checksums c where c.object_key = ${key} and c.withheld_for is not null)`
}

const CHECKSUM = checksumOf('coalesce(assets.object_key, assets.id)')

export const ASSET_COLUMNS = `seq, ${ASSET.join(', ')}, ${CHECKSUM}`
export const UPLOAD_COLUMNS = `seq, ${UPLOAD.join(', ')}, ${CHECKSUM}`
export const PRODUCT_COLUMNS = `seq, ${PRODUCT.join(', ')}`

/** A ready asset, without the columns that are the same for all ready assets of an account. */
export type ListedRow = Omit<AssetRow, 'account_id' | 'status'>
export const PLAIN_LISTED_COLUMNS =
  'seq, id, kind, filename, bytes, mime, url, created_at, folder, version, updated_at'
export const LISTED_COLUMNS = `${PLAIN_LISTED_COLUMNS}, ${CHECKSUM}`

export function toListedAsset(accountId: string): (row: ListedRow) => Asset {
  return (row) => toAssetOf(accountId, 'ready', row)
}

export const OWN_ASSET = 'id = :id and account_id = :account'

/** The status as the API sees it: a completed replacement is ready, although its row is `deleted`. */
export const STATUS = `iif(became_version is null, status, 'ready')`

/** The SQL of a status change by compare-and-set: `from` is part of the condition. */
export function transition(from: AssetStatus, to: AssetStatus): string {
  return `update assets set status = '${to}', changed_at = :now where ${OWN_ASSET} and status = '${from}'`
}
