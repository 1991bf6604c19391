import type * as wire from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { Asset } from '../domain/asset.ts'
import type {
  AssetDownload,
  Branding,
  DownloadedFile,
  EventOrder,
  LoggedDownload,
  Order,
  OrderProduct,
} from '../domain/order.ts'
import { presentAsset } from './resources.ts'

/** `assets` are those attached to the order itself, if they were requested. */
export function presentOrder(order: Order, url: string | null, assets?: Asset[]): wire.Order {
  return {
    ...presentEventOrder(order),
    url,
    ...(assets && { assets: assets.map(presentAsset) }),
  }
}

/** Without its URL. */
export function presentEventOrder(order: EventOrder): wire.EventOrder {
  const { id, number, reference, source, status, name, email, locale, label, lines } = order
  return {
    id,
    order_number: number,
    email_sent_at: order.emailSentAt && unixSeconds(order.emailSentAt),
    ordered_at: unixSeconds(order.orderedAt),
    reference,
    source,
    status,
    name,
    email,
    locale,
    label,
    lines: lines.map(({ productId, variantId, quantity, refunded, product }) => ({
      product_id: productId,
      variant_id: variantId,
      quantity,
      refunded_quantity: refunded,
      product: product && presentOrderProduct(product),
    })),
    downloads: order.downloads,
    max_downloads: order.maxDownloads,
    inline: order.isInline,
    more_requested: order.more && {
      asset_id: order.more.assetId,
      requested_at: formatTimestamp(order.more.requestedAt),
    },
    expires_at: order.expiresAt && formatTimestamp(order.expiresAt),
    created_at: formatTimestamp(order.createdAt),
    updated_at: formatTimestamp(order.updatedAt),
  }
}

function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

export function presentOrderProduct({ id, name, variantName, sku }: OrderProduct) {
  return { id, name, variant_name: variantName, sku }
}

export function presentDownload({ file, ...order }: EventOrder & { file: DownloadedFile }) {
  const { assetId, filename, version } = file
  return { ...presentEventOrder(order), file: { asset_id: assetId, filename, version } }
}

export function presentLoggedDownload(download: LoggedDownload): wire.LoggedDownload {
  const { id, assetId, filename, version, bytes, openedAt, starts, cost, addressHash } = download
  return {
    id,
    asset_id: assetId,
    filename,
    version,
    bytes,
    opened_at: formatTimestamp(openedAt),
    starts,
    counted: cost,
    ip_hash: addressHash,
  }
}

export function presentAssetDownload({ order, ...rest }: AssetDownload): wire.AssetDownload {
  const { id, number, name, email, label, reference } = order
  return {
    ...presentLoggedDownload(rest),
    order: { id, order_number: number, name, email, label, reference },
  }
}

export function presentBranding(branding: Branding): wire.Branding {
  const { name, logo, color, helpText, helpEmail, maxDownloads } = branding
  return {
    name,
    logo,
    color,
    help_text: helpText,
    help_email: helpEmail,
    max_downloads: maxDownloads,
  }
}
