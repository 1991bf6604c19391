import type { Asset, AssetStatus, Upload } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import type { Removal } from '../database.ts'

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
}

export interface UploadRow extends AssetRow {
  upload_id: string
  storage_id: string | null
  chunk_size: number
  expires_at: Date
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

export interface RemovalRow {
  id: number
  kind: Removal['kind']
  storage_id: string
  key: string
  attempts: number
  due_at: Date
}

export const ASSET_COLUMNS = [
  'id',
  'account_id',
  'kind',
  'status',
  'filename',
  'bytes',
  'mime',
  'url',
  'created_at',
] as const
export const UPLOAD_COLUMNS = [
  ...ASSET_COLUMNS,
  'upload_id',
  'storage_id',
  'chunk_size',
  'expires_at',
] as const
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
  }
}

export function toUpload(row: UploadRow): Upload {
  return {
    asset: toAsset(row),
    id: row.upload_id,
    // A storage that takes our name for an upload never tells us another.
    storageId: row.storage_id ?? row.upload_id,
    chunkSize: row.chunk_size,
    expiresAt: row.expires_at,
  }
}

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
