import {
  type AssetDownload,
  type Branding,
  type CoveredFile,
  type LoggedDownload,
  type Order,
  type OrderSource,
  type OrderStatus,
  textsOfOrder,
} from '../../domain/order.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { OrderFileRecord } from '../order-data.ts'
import {
  type AssetRow,
  type Flag,
  fromJson,
  type Json,
  type Time,
  toAsset,
  toDate,
  toDateOrNull,
} from './rows.ts'

export interface OrderRow {
  id: string
  account_id: string
  source: OrderSource
  reference: string | null
  order_number: string | null
  email: string | null
  name: string | null
  locale: string | null
  label: string | null
  downloads: number
  max_downloads: number | null
  expires_at: Time | null
  held: Flag
  inline: Flag
  revoked_at: Time | null
  email_sent_at: Time | null
  ordered_at: Time
  created_at: Time
  updated_at: Time
  more_requested_at: Time | null
  more_asset_id: string | null
  token: string
  token_hash: string
  is_expired: Flag
  /** Null if there are none. */
  lines: Json<LineValues[]> | null
}

/** The product ID, the variant ID, the quantity, the refunded quantity, and the product. */
type LineValues = [number, number | null, number, number, ProductValues | null]
/** The ID, the name, the variant name and the SKU. */
type ProductValues = [string, string, string, string]

export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    accountId: row.account_id,
    source: row.source,
    reference: row.reference,
    number: row.order_number,
    email: row.email,
    name: row.name,
    locale: row.locale,
    label: row.label,
    lines: fromJson(row.lines ?? []).map(([productId, variantId, quantity, refunded, product]) => ({
      productId,
      variantId,
      quantity,
      refunded,
      product: product && toLineProduct(product),
    })),
    downloads: row.downloads,
    maxDownloads: row.max_downloads,
    expiresAt: toDateOrNull(row.expires_at),
    isHeld: Boolean(row.held),
    isInline: Boolean(row.inline),
    revokedAt: toDateOrNull(row.revoked_at),
    emailSentAt: toDateOrNull(row.email_sent_at),
    orderedAt: toDate(row.ordered_at),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    more:
      row.more_requested_at === null || row.more_asset_id === null
        ? null
        : { assetId: row.more_asset_id, requestedAt: toDate(row.more_requested_at) },
    status: statusOf(row),
    sealedToken: row.token,
    tokenHash: row.token_hash,
  }
}

function toLineProduct([id, name, variantName, sku]: ProductValues) {
  return { id, name, variantName, sku }
}

export interface StateFlags {
  revoked_at: Time | null
  held: Flag
  is_expired: Flag
}

/** A revoked order stays revoked, so that state is shown first. */
export function statusOf({ revoked_at, held, is_expired }: StateFlags): OrderStatus {
  if (revoked_at !== null) return 'revoked'
  if (held) return 'held'
  return is_expired ? 'expired' : 'active'
}

/** The columns that a change of an order writes. */
export function toChangedColumns(order: Omit<Order, 'updatedAt'>) {
  return {
    order_number: order.number,
    sort_number: sortName(order.number ?? ''),
    email: order.email,
    name: order.name,
    locale: order.locale,
    label: order.label,
    search_text: foldText(textsOfOrder(order)),
    max_downloads: order.maxDownloads,
    expires_at: order.expiresAt,
    held: order.isHeld,
    inline: order.isInline,
    ordered_at: order.orderedAt,
    more_requested_at: order.more?.requestedAt ?? null,
    more_asset_id: order.more?.assetId ?? null,
  }
}

/** All columns of an order. */
export function toOrderColumns(account: string, order: Order) {
  return {
    id: order.id,
    account,
    source: order.source,
    reference: order.reference,
    ...toChangedColumns(order),
    downloads: order.downloads,
    revoked_at: order.revokedAt,
    email_sent_at: order.emailSentAt,
    created_at: order.createdAt,
    updated_at: order.updatedAt,
    token: order.sealedToken,
    token_hash: order.tokenHash,
  }
}

export interface CoveredRow extends AssetRow {
  line: number | null
  copies: number
  version_at: Time
  used: number | null
  starts: number | null
  open_until: Time | null
}

/** The rows are sorted by line: a file is shown with the first line that covers it. */
export function toCoveredFiles(rows: readonly CoveredRow[]): CoveredFile[] {
  const files = new Map<string, CoveredFile>()
  for (const row of rows) {
    const known = files.get(row.id)
    if (known !== undefined) known.copies += row.copies
    else {
      files.set(row.id, {
        asset: toAsset(row),
        line: row.line ?? undefined,
        copies: row.copies,
        versionAt: toDate(row.version_at),
        used: row.used ?? 0,
        starts: row.starts ?? 0,
        openUntil: toDateOrNull(row.open_until),
      })
    }
  }
  return [...files.values()]
}

export interface DownloadRow {
  id: string
  order_id: string
  asset_id: string
  version: number
  filename: string
  bytes: number
  address_hash: string | null
  opened_at: Time
  starts: number
  cost: number
}

export function toLoggedDownload(row: DownloadRow): LoggedDownload {
  return {
    id: row.id,
    orderId: row.order_id,
    assetId: row.asset_id,
    version: row.version,
    filename: row.filename,
    bytes: row.bytes,
    addressHash: row.address_hash,
    openedAt: toDate(row.opened_at),
    starts: row.starts,
    cost: row.cost,
  }
}

export interface AssetDownloadRow extends DownloadRow {
  order_number: string | null
  name: string | null
  email: string | null
  label: string | null
  reference: string | null
}

export function toAssetDownload(row: AssetDownloadRow): AssetDownload {
  const { order_id: id, order_number: number, name, email, label, reference } = row
  return { ...toLoggedDownload(row), order: { id, number, name, email, label, reference } }
}

export function toDownloadColumns(download: LoggedDownload) {
  const { id, orderId, assetId, version, filename, bytes, addressHash, openedAt } = download
  return {
    id,
    order: orderId,
    asset: assetId,
    version,
    filename,
    bytes,
    address_hash: addressHash,
    opened_at: openedAt,
    starts: download.starts,
    cost: download.cost,
  }
}

export interface OrderFileRow {
  asset_id: string
  used: number
  download_id: string
  open_until: Time
  starts: number
}

export function toOrderFile(row: OrderFileRow): OrderFileRecord {
  return {
    assetId: row.asset_id,
    used: row.used,
    downloadId: row.download_id,
    openUntil: toDate(row.open_until),
    starts: row.starts,
  }
}

export interface BrandingRow {
  name: string | null
  logo: string | null
  color: string | null
  help_text: string | null
  help_email: string | null
  max_downloads: number | null
}

export function toBranding(row: BrandingRow): Branding {
  return {
    name: row.name,
    logo: row.logo,
    color: row.color,
    helpText: row.help_text,
    helpEmail: row.help_email,
    maxDownloads: row.max_downloads,
  }
}

/** The state of a file of an order, and of its last download. */
export interface FileStateRow extends StateFlags {
  order_id: string
  asset_id: string
  /** Null: no limit. */
  max_downloads: number | null
  /** 0: the order does not cover the file. */
  copies: number
  used: number | null
  starts: number | null
  download_id: string | null
  open_until: Time | null
  is_open: Flag | null
  filename: string | null
  version: number | null
  bytes: number | null
}
