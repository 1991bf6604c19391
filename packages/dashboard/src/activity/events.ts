import type { StowageEvent } from '@stowage/client'
import { countText } from '../format.ts'

export type EventType = StowageEvent['type']

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

/** The name of a type. One that this page does not know is shown as it is. */
export function typeLabel(type: EventType): string {
  return Object.hasOwn(LABELS, type) ? LABELS[type] : type
}

/** What happened. Events that version 0.2.0 has recorded do not have what was before. */
export function eventLabel(event: StowageEvent): string {
  const { type, data } = event
  if (type === 'webhook.updated') {
    if (data.changed.includes('enabled')) return `Webhook ${data.enabled ? 'enabled' : 'disabled'}`
    if (data.changed.includes('secret')) return 'Webhook secret replaced'
  }
  if (type === 'version.deleted') return `Deleted version ${data.version}`
  if (type === 'asset.replaced') {
    if (data.restored === true) return `Restored version ${data.version}`
    return data.restored === false ? `Replaced by version ${data.version}` : LABELS[type]
  }
  if (type === 'asset.updated') {
    const { previous, repaired_version } = data
    if (repaired_version !== undefined) return `Version ${repaired_version} is readable again`
    if (previous?.filename !== undefined) return 'Renamed'
    if (previous?.path !== undefined) return 'Moved'
    if (previous?.tags !== undefined) return 'Tags changed'
    if (previous?.url !== undefined) return 'URL changed'
  }
  return typeLabel(type)
}

/** The previous name of a renamed asset, or the folders of one that was moved. */
export function eventChange({
  type,
  data,
}: StowageEvent): { from: string; to?: string } | undefined {
  if (type !== 'asset.updated') return undefined
  const { previous, path } = data
  if (previous?.filename !== undefined) return { from: previous.filename }
  if (previous?.path === undefined) return undefined
  return { from: previous.path ?? 'no folder', to: path ?? 'no folder' }
}

/** What happened to several resources by one call. */
export function groupLabel(events: readonly StowageEvent[], isMore: boolean): string {
  const [first] = events
  if (first === undefined) return ''
  const ids = new Set(events.map(({ id, data }) => ('id' in data ? data.id : id)))
  const count = (noun: string) => `${isMore ? 'at least ' : ''}${countText(ids.size, noun)}`
  switch (first.type) {
    case 'asset.ready':
      return `Added ${count('asset')}`
    case 'asset.updated':
      return `${events.every((event) => eventLabel(event) === 'Moved') ? 'Moved' : 'Changed'} ${count('asset')}`
    case 'asset.deleted':
      return `Deleted ${count('asset')}`
    case 'asset.restored':
      return `Restored ${count('asset')}`
    case 'asset.removed':
      return `Deleted ${count('asset')} forever`
    case 'asset.attached':
      return `Attached ${count('asset')} to products`
    case 'asset.detached':
      return `Detached ${count('asset')} from products`
    case 'product.updated':
      return `Saved ${count('product')}`
    case 'product.deleted':
      return `Deleted ${count('product')}`
    case 'upload.cancelled':
      return `Cancelled ${count('upload')}`
    case 'upload.expired':
      return `Expired: ${count('upload')}`
    default:
      return `${typeLabel(first.type)} (${count('time')})`
  }
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

export const ACTORS: Record<string, string> = {
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

/** The filter that finds what this actor did. */
export function actorFilter({ actor: { type, id, name } }: StowageEvent): string {
  return type === 'key' ? (id ?? `key:${name}`) : type
}

interface EventGroup {
  label: string
  types: readonly EventType[]
}

/** The groups of event types that can be selected. */
export const GROUPS = {
  assets: {
    label: 'All changes of assets',
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
  attachments: { label: 'All attachments', types: ['asset.attached', 'asset.detached'] },
  uploads: {
    label: 'All uploads',
    types: ['upload.started', 'upload.updated', 'upload.cancelled', 'upload.expired'],
  },
  products: { label: 'All changes of products', types: ['product.updated', 'product.deleted'] },
  keys: {
    label: 'All keys and webhooks',
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
    label: 'All orders',
    types: [
      'order.created',
      'order.updated',
      'order.revoked',
      'order.downloaded',
      'order.limit_reached',
    ],
  },
  storage: { label: 'All about storage', types: ['account.storage_low'] },
} as const satisfies Record<string, EventGroup>

/** The actions in the filter of the page: one or all types of a group. `isVisible`: whether the key may see keys. */
export function actionChoices(isVisible: boolean) {
  const groups: [string, EventGroup][] = Object.entries(GROUPS)
  return groups
    .filter(([group]) => group !== 'keys' || isVisible)
    .map(([value, { label, types }]) => ({
      group: label
        .replace(/^All (changes of |about )?/, '')
        .replace(/^./, (first) => first.toUpperCase()),
      items: [
        { value, label },
        ...types.map((type) => ({ value: type as string, label: filterLabel(type) })),
      ],
    }))
}

/** In a list of choices, the label must not depend on the event. */
function filterLabel(type: EventType): string {
  if (type === 'asset.updated') return 'Renamed, moved or changed'
  if (type === 'asset.replaced') return 'Replaced, or version restored'
  return typeLabel(type)
}

/** The types of a choice; undefined if there is no such choice. */
export function typesOf(choice: string): readonly EventType[] | undefined {
  if (Object.hasOwn(GROUPS, choice)) return GROUPS[choice as keyof typeof GROUPS].types
  return Object.hasOwn(LABELS, choice) ? [choice as EventType] : undefined
}

export function choiceLabel(choice: string): string {
  if (Object.hasOwn(GROUPS, choice)) return GROUPS[choice as keyof typeof GROUPS].label
  return filterLabel(choice as EventType)
}
