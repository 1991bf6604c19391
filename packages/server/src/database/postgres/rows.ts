import {
  type Asset,
  type AssetStatus,
  type Integrity,
  NOT_VERIFIED,
  type Upload,
} from '../../domain/asset.ts'
import type { Actor } from '../../domain/key.ts'
import { pathOfStored } from '../../domain/names.ts'
import type { Product } from '../../domain/product.ts'
import type { Removal } from '../database.ts'
import type { Fragment, Sql } from './connection.ts'

export interface AssetRow {
  id: string
  account_id: string
  kind: Asset['kind']
  status: AssetStatus
  filename: string
  bytes: number
  mime: string
  url: string | null
  created_at: Date
  folder: string | null
  version: number
  updated_at: Date | null
  /** Undefined if the statement does not read it. */
  checksum?: StoredChecksum | null
}

/** The digest, when it was verified, and whether the object is damaged and withheld from downloads. */
export type StoredChecksum = [string | null, string | null, boolean, boolean]

export interface UploadRow extends AssetRow {
  upload_id: string
  storage_id: string | null
  chunk_size: number
  expires_at: Date
  started_by_id: string | null
  started_by_name: string | null
  object_key: string | null
  replaces: string | null
  keeps_name: boolean
  became_version: number | null
  token_id: string | null
}

export interface RemovalRow {
  id: number
  kind: Removal['kind']
  storage_id: string
  key: string
  attempts: number
  due_at: Date
}

const ASSET_COLUMNS = [
  'id',
  'account_id',
  'kind',
  'status',
  'filename',
  'bytes',
  'mime',
  'url',
  'created_at',
  'folder',
  'version',
  'updated_at',
] as const
export const UPLOAD_COLUMNS = [
  ...ASSET_COLUMNS,
  'upload_id',
  'storage_id',
  'chunk_size',
  'expires_at',
  'started_by_id',
  'started_by_name',
  'object_key',
  'replaces',
  'keeps_name',
  'became_version',
  'token_id',
] as const

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

export function toAsset(row: AssetRow): Asset {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    status: row.status,
    filename: row.filename,
    bytes: row.bytes,
    mime: row.mime,
    url: row.url,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.created_at,
    version: row.version,
    path: pathOfStored(row.folder),
    integrity: toIntegrity(row.checksum),
  }
}

export function toIntegrity(checksum: StoredChecksum | null | undefined): Integrity {
  if (!checksum) return NOT_VERIFIED
  const [sha256, verifiedAt, isDamaged, isWithheld] = checksum
  return {
    sha256,
    verifiedAt: verifiedAt === null ? null : new Date(verifiedAt),
    isDamaged,
    isWithheld,
  }
}

export function toUpload(row: UploadRow): Upload {
  const asset = toAsset(row)
  return {
    // A completed replacement is not an asset of its own, so its row is `deleted`.
    asset: row.became_version === null ? asset : { ...asset, status: 'ready' },
    replaces: row.replaces === null ? null : { assetId: row.replaces, keepsName: row.keeps_name },
    key: row.object_key ?? row.id,
    id: row.upload_id,
    // A storage engine that uses our upload ID has no ID of its own.
    storageId: row.storage_id ?? row.upload_id,
    chunkSize: row.chunk_size,
    startedBy: toActor(row),
    tokenId: row.token_id,
    expiresAt: row.expires_at,
  }
}

function toActor({ started_by_id: id, started_by_name: name }: UploadRow): Actor | null {
  return name === null ? null : { id, name }
}

export function toRemoval(row: RemovalRow): Removal {
  return {
    id: row.id,
    kind: row.kind,
    storageId: row.storage_id,
    key: row.key,
    attempts: row.attempts,
    dueAt: row.due_at,
  }
}

export interface ProductRow {
  id: string
  product_id: number
  variant_id: number
  name: string
  variant_name: string
  sku: string
  vendor: string
  tags: string[]
}

export const PRODUCT_COLUMNS = [
  'id',
  'product_id',
  'variant_id',
  'name',
  'variant_name',
  'sku',
  'vendor',
  'tags',
] as const

export function toProduct(row: ProductRow): Product {
  return {
    id: row.id,
    productId: row.product_id,
    variantId: row.variant_id,
    name: row.name,
    variantName: row.variant_name,
    sku: row.sku,
    vendor: row.vendor,
    tags: row.tags,
  }
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
