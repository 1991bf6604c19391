import type { StowageEvent } from '@stowage/client'

type EventType = StowageEvent['type']

/** A new type does not compile until it has a label. */
const LABELS: Record<EventType, string> = {
  'asset.ready': 'Added',
  'asset.updated': 'Changed',
  'asset.replaced': 'Replaced',
  'asset.deleted': 'Deleted',
  'asset.restored': 'Restored',
  'asset.removed': 'Deleted forever',
  'asset.damaged': 'Found damaged',
  'asset.attached': 'Attached to products',
  'asset.detached': 'Detached from products',
  'version.deleted': 'Older version deleted',
  'upload.started': 'Upload started',
  'upload.updated': 'Upload changed',
  'upload.cancelled': 'Upload cancelled',
  'upload.expired': 'Upload expired',
  'product.updated': 'Product saved',
  'product.deleted': 'Product deleted',
  'key.created': 'API key created',
  'key.revoked': 'API key revoked',
  'webhook.created': 'Webhook added',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'token.created': 'Upload token created',
  'token.revoked': 'Upload token revoked',
  'order.created': 'Order created',
  'order.updated': 'Order changed',
  'order.revoked': 'Order revoked',
  'order.downloaded': 'Downloaded by a buyer',
  'order.limit_reached': 'Download limit reached',
  'account.storage_low': 'Storage almost full',
}

/** What happened. A type that this page does not know is shown as it is. */
export function eventLabel({ type, data }: StowageEvent): string {
  if (type === 'webhook.updated') {
    if (data.changed.includes('enabled')) return `Webhook ${data.enabled ? 'enabled' : 'disabled'}`
    if (data.changed.includes('secret')) return 'Webhook secret replaced'
  }
  if (type === 'version.deleted') return `Version ${data.version} deleted`
  return Object.hasOwn(LABELS, type) ? LABELS[type] : type
}

/** The name of the resource, or the origin of a webhook or an upload token. */
export function eventSubject({ type, data }: StowageEvent): string {
  if (type === 'order.downloaded' || type === 'order.limit_reached') return data.file.filename
  if (type === 'order.created' || type === 'order.updated' || type === 'order.revoked') {
    return data.order_number ?? data.label ?? data.email ?? data.reference ?? ''
  }
  const {
    filename,
    name,
    origin,
  }: { filename?: string; name?: string | null; origin?: string | null } = data
  return filename ?? name ?? origin ?? ''
}

/** The page of the asset or the product; undefined for other resources, and if the event ended the resource. */
export function eventHref({ type, data }: StowageEvent): string | undefined {
  const isGone = /^(asset|product)\.(deleted|removed)$|cancelled|expired/.test(type)
  if (isGone || !('id' in data)) return undefined
  if (/^(asset|upload|version)\./.test(type)) return `/assets/${data.id}`
  return type.startsWith('product.') ? `/products/${data.id}` : undefined
}

const ACTORS: Record<string, string> = {
  anonymous: 'Someone without a key',
  job: 'Stowage',
  operator: 'Operator',
  upload_token: 'Upload token',
  buyer: 'Buyer',
}

/** Who did it. */
export function actorText({ actor }: StowageEvent): string {
  return actor.type === 'key' ? (actor.name ?? 'API key') : (ACTORS[actor.type] ?? actor.type)
}

/** The filter and the position of the activity, as in the URL. */
export interface ActivityQuery {
  kind: Kind
  /** Shows only events before the event with this ID; 0 for the newest events. */
  before: number
}

interface EventGroup {
  label: string
  types: readonly EventType[]
}

/** The groups of event types that can be selected. `all` has no types: it does not filter. */
export const KINDS = {
  all: { label: 'All activity', types: [] },
  assets: {
    label: 'Assets',
    types: [
      'asset.ready',
      'asset.updated',
      'asset.replaced',
      'asset.deleted',
      'asset.restored',
      'asset.removed',
      'asset.damaged',
      'version.deleted',
    ],
  },
  attachments: { label: 'Attachments', types: ['asset.attached', 'asset.detached'] },
  uploads: {
    label: 'Uploads',
    types: ['upload.started', 'upload.updated', 'upload.cancelled', 'upload.expired'],
  },
  products: { label: 'Products', types: ['product.updated', 'product.deleted'] },
  keys: {
    label: 'Keys and webhooks',
    types: [
      'key.created',
      'key.revoked',
      'token.created',
      'token.revoked',
      'webhook.created',
      'webhook.updated',
      'webhook.deleted',
    ],
  },
  orders: {
    label: 'Orders',
    types: [
      'order.created',
      'order.updated',
      'order.revoked',
      'order.downloaded',
      'order.limit_reached',
    ],
  },
  storage: { label: 'Storage', types: ['account.storage_low'] },
} as const satisfies Record<string, EventGroup>

export type Kind = keyof typeof KINDS

export function readActivityQuery(search: string): ActivityQuery {
  const params = new URLSearchParams(search)
  const kind = params.get('show') ?? ''
  const before = Number(params.get('before') ?? 0)
  return {
    kind: Object.hasOwn(KINDS, kind) ? (kind as Kind) : 'all',
    before: Number.isSafeInteger(before) && before > 0 ? before : 0,
  }
}

/** The URL contains only parameters that differ from their defaults. */
export function activityUrl({ kind, before }: ActivityQuery): string {
  const params = new URLSearchParams({
    ...(kind !== 'all' && { show: kind }),
    ...(before > 0 && { before: `${before}` }),
  })
  return params.size === 0 ? '/activity' : `/activity?${params}`
}
