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

export interface AssetRow {
  seq: number
  id: string
  account_id: string
  kind: Asset['kind']
  status: AssetStatus
  filename: string
  bytes: number
  mime: string
  url: string | null
  created_at: number
  folder: string | null
  version: number
  updated_at: number | null
  /** See `checksumOf`. */
  checksum: string | null
}

export interface UploadRow extends AssetRow {
  upload_id: string
  storage_id: string | null
  chunk_size: number
  expires_at: number
  started_by_id: string | null
  started_by_name: string | null
  object_key: string | null
  replaces: string | null
  keeps_name: number
  became_version: number | null
  token_id: string | null
}

export interface RemovalRow {
  id: number
  kind: Removal['kind']
  storage_id: string
  key: string
  attempts: number
  due_at: number
}

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

export const ASSET_COLUMNS = `seq, id, account_id, kind, status, filename, bytes, mime, url, created_at,
  folder, version, updated_at, ${CHECKSUM}`
export const UPLOAD_COLUMNS = `${ASSET_COLUMNS}, upload_id, storage_id, chunk_size, expires_at,
  started_by_id, started_by_name, object_key, replaces, keeps_name, became_version, token_id`

/** A ready asset, without the columns that are the same for all ready assets of an account. */
export type ListedRow = Omit<AssetRow, 'account_id' | 'status'>
export const PLAIN_LISTED_COLUMNS =
  'seq, id, kind, filename, bytes, mime, url, created_at, folder, version, updated_at'
export const LISTED_COLUMNS = `${PLAIN_LISTED_COLUMNS}, ${CHECKSUM}`

export function toListedAsset(accountId: string): (row: ListedRow) => Asset {
  return (row) => ({
    id: row.id,
    accountId,
    kind: row.kind,
    status: 'ready',
    filename: row.filename,
    bytes: row.bytes,
    mime: row.mime,
    url: row.url,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at ?? row.created_at),
    version: row.version,
    path: pathOfStored(row.folder),
    integrity: toIntegrity(row.checksum),
  })
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
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at ?? row.created_at),
    version: row.version,
    path: pathOfStored(row.folder),
    integrity: toIntegrity(row.checksum),
  }
}

export function toIntegrity(checksum: string | null): Integrity {
  if (checksum === null) return NOT_VERIFIED
  const [sha256, verifiedAt, damaged, withheld] = JSON.parse(checksum)
  return {
    sha256,
    verifiedAt: verifiedAt === null ? null : new Date(verifiedAt),
    isDamaged: damaged === 1,
    isWithheld: withheld === 1,
  }
}

export function toUpload(row: UploadRow): Upload {
  const asset = toAsset(row)
  return {
    // A completed replacement is not an asset of its own, so its row is `deleted`.
    asset: row.became_version === null ? asset : { ...asset, status: 'ready' },
    replaces:
      row.replaces === null ? null : { assetId: row.replaces, keepsName: row.keeps_name === 1 },
    key: row.object_key ?? row.id,
    id: row.upload_id,
    // A storage engine that uses our upload ID has no ID of its own.
    storageId: row.storage_id ?? row.upload_id,
    chunkSize: row.chunk_size,
    startedBy: toActor(row),
    tokenId: row.token_id,
    expiresAt: new Date(row.expires_at),
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
    dueAt: new Date(row.due_at),
  }
}

export interface ProductRow {
  seq: number
  id: string
  product_id: number
  variant_id: number
  name: string
  variant_name: string
  sku: string
  vendor: string
  tags: string
}

export const PRODUCT_COLUMNS =
  'seq, id, product_id, variant_id, name, variant_name, sku, vendor, tags'

export function toProduct(row: ProductRow): Product {
  return {
    id: row.id,
    productId: row.product_id,
    variantId: row.variant_id,
    name: row.name,
    variantName: row.variant_name,
    sku: row.sku,
    vendor: row.vendor,
    tags: JSON.parse(row.tags),
  }
}

export const OWN_ASSET = 'id = :id and account_id = :account'

/** The status as the API sees it: a completed replacement is ready, although its row is `deleted`. */
export const STATUS = `iif(became_version is null, status, 'ready')`

/** The SQL of a status change by compare-and-set: `from` is part of the condition. */
export function transition(from: AssetStatus, to: AssetStatus): string {
  return `update assets set status = '${to}', changed_at = :now where ${OWN_ASSET} and status = '${from}'`
}
