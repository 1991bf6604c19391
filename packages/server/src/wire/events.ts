import type * as wire from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import {
  type AttachedProduct,
  type DeletedVersion,
  type Event,
  type EventAccount,
  type EventArrangement,
  type EventAsset,
  type EventToken,
  type EventUpload,
  type EventWebhook,
  type PreviousAsset,
  publicEventId,
} from '../domain/event.ts'
import { partPlan } from '../domain/parts.ts'
import { availableBytes } from '../domain/usage.ts'
import { presentEventMail } from './mails.ts'
import { presentDownload, presentEventOrder } from './orders.ts'
import { presentAsset, presentKey, presentProduct } from './resources.ts'

/** The data has the current format of the resource in the API, with the values at the time of the change. */
export function presentEvent(event: Event): wire.Event {
  const { type, actor, call, createdAt } = event
  const id = publicEventId(event.id, createdAt)
  const created_at = formatTimestamp(createdAt)
  // The compiler cannot relate the two unions to each other.
  return { id, type, created_at, actor, call, data: presentData(event) } as wire.Event
}

function presentData(event: Event): wire.Event['data'] {
  switch (event.type) {
    case 'asset.updated': {
      const { previous, repairedVersion } = event.data
      return {
        ...presentEventAsset(event.data),
        ...(previous && { previous: presentPrevious(previous) }),
        ...(repairedVersion !== undefined && { repaired_version: repairedVersion }),
      }
    }
    case 'asset.replaced': {
      const { previous, isRestored } = event.data
      return {
        ...presentEventAsset(event.data),
        ...(previous && { previous: presentPrevious(previous) }),
        ...(isRestored !== undefined && { restored: isRestored }),
      }
    }
    case 'asset.damaged':
      return { ...presentEventAsset(event.data), damaged_version: event.data.damagedVersion }
    case 'asset.attached':
    case 'asset.detached':
      return { ...presentEventAsset(event.data), products: event.data.products.map(presentId) }
    case 'version.deleted':
      return presentDeletedVersion(event.data)
    case 'upload.started':
    case 'upload.updated':
      return presentEventUpload(event.data, 'uploading')
    case 'upload.cancelled':
      return presentEventUpload(event.data, 'cancelled')
    case 'upload.expired':
      return presentEventUpload(event.data, 'expired')
    case 'product.updated':
    case 'product.deleted':
      return presentProduct(event.data)
    case 'product.arranged':
      return presentArrangement(event.data)
    case 'key.created':
    case 'key.revoked':
      return presentKey(event.data)
    case 'webhook.created':
    case 'webhook.updated':
    case 'webhook.deleted':
      return presentEventWebhook(event.data)
    case 'token.created':
    case 'token.revoked':
      return presentEventToken(event.data)
    case 'order.created':
    case 'order.updated':
    case 'order.revoked':
      return presentEventOrder(event.data)
    case 'order.downloaded':
    case 'order.limit_reached':
    case 'order.more_requested':
      return presentDownload(event.data)
    case 'mail.sent':
    case 'mail.failed':
      return presentEventMail(event.data)
    case 'account.storage_low':
    case 'account.suspended':
    case 'account.resumed':
      return presentEventAccount(event.data)
    default:
      return presentEventAsset(event.data)
  }
}

/** A deleted asset has the status that it had before, as in the list of the trash. */
function presentEventAsset(asset: EventAsset): wire.Asset {
  const { status, trashedAt } = asset
  return {
    ...presentAsset({ ...asset, status: status === 'deleted' ? 'ready' : status }),
    ...(trashedAt && { deleted_at: formatTimestamp(trashedAt) }),
  }
}

function presentPrevious({ isInline, ...previous }: PreviousAsset) {
  return { ...previous, ...(isInline !== undefined && { inline: isInline }) }
}

function presentId({ id, productId, variantId }: AttachedProduct) {
  return { id, product_id: productId, variant_id: variantId }
}

function presentArrangement({ id, productId, name, assetIds, total }: EventArrangement) {
  return { id, product_id: productId, name, assets: assetIds, assets_total: total }
}

function presentDeletedVersion({ assetId, createdAt, ...version }: DeletedVersion) {
  return {
    id: assetId,
    ...version,
    size: formatSize(version.bytes),
    created_at: formatTimestamp(createdAt),
  }
}

function presentEventUpload<Status extends string>(upload: EventUpload, status: Status) {
  return {
    id: upload.id,
    upload_id: upload.uploadId,
    is_replacement: upload.isReplacement,
    filename: upload.filename,
    path: upload.path,
    tags: upload.tags,
    bytes: upload.bytes,
    mime: upload.mime,
    status,
    chunk_size: upload.chunkSize,
    parts: partPlan(upload.bytes, upload.chunkSize).count,
    started_by: upload.startedBy,
    created_at: formatTimestamp(upload.createdAt),
    upload_expires_at: formatTimestamp(upload.expiresAt),
    expires_at: formatTimestamp(upload.expiresAt),
  }
}

function presentEventWebhook(webhook: EventWebhook) {
  const { id, origin, description, types, disabledReason, changed } = webhook
  return {
    id,
    origin,
    description,
    types,
    enabled: disabledReason === null,
    disabled_reason: disabledReason,
    created_at: formatTimestamp(webhook.createdAt),
    updated_at: formatTimestamp(webhook.updatedAt),
    changed,
  }
}

function presentEventToken(token: EventToken) {
  return {
    id: token.id,
    max_bytes: token.maxBytes,
    max_files: token.maxFiles,
    mime: token.mediaTypes,
    origin: token.origin,
    replace: token.replaces,
    expires_at: formatTimestamp(token.expiresAt),
  }
}

function presentEventAccount(account: EventAccount) {
  const { name, planName, planAssets = null, limit, stored, reserved, trash, assets } = account
  const plan = { name: planName, storage: limit, assets: planAssets }
  return { name, plan, stored, reserved, trash, available: availableBytes(account), assets }
}
