import type { StowageEvent } from '@stowage/client'

export type EventType = StowageEvent['type']

/** When each event is sent. A new type does not compile until it is listed. */
const EVENT_TEXTS: Record<EventType, string> = {
  'asset.ready': 'A new file is uploaded, or a URL is added',
  'asset.updated': 'The name or the folder changes, or the URL of a link',
  'asset.replaced': 'A new version is uploaded, or an older one is restored',
  'asset.deleted': 'It is moved to the trash',
  'asset.restored': 'It is restored from the trash',
  'asset.removed': 'It is deleted forever',
  'asset.damaged': 'Its stored file is damaged',
  'asset.attached': 'It is attached to products',
  'asset.detached': 'It is detached from products',
  'version.deleted': 'An older version is deleted',
  'upload.started': 'An upload starts',
  'upload.updated': 'The declared size of an upload changes',
  'upload.cancelled': 'An upload is cancelled',
  'upload.expired': 'An unfinished upload expires',
  'product.updated': 'A product is added or changed',
  'product.deleted': 'A product is deleted',
  'order.created': 'An order is created',
  'order.updated': 'An order is changed, held or released',
  'order.revoked': 'An order is revoked',
  'order.downloaded': 'A buyer starts a download that counts',
  'order.limit_reached': 'A buyer reaches the limit of a file',
  'account.storage_low': 'The storage is almost full (90 % of the plan)',
  'key.created': 'An API key is created',
  'key.revoked': 'An API key is revoked',
  'token.created': 'An upload token is created',
  'token.revoked': 'An upload token is revoked',
  'webhook.created': 'A webhook is added',
  'webhook.updated': 'A webhook is changed or disabled',
  'webhook.deleted': 'A webhook is deleted',
}

/** By the part of the type before the dot. */
const GROUP_LABELS: Record<string, string> = {
  asset: 'Assets',
  version: 'Assets',
  upload: 'Uploads',
  product: 'Products',
  order: 'Orders',
  account: 'Storage',
  key: 'API keys, upload tokens and webhooks',
  token: 'API keys, upload tokens and webhooks',
  webhook: 'API keys, upload tokens and webhooks',
}

export interface EventGroup {
  label: string
  types: { type: EventType; text: string }[]
}

export const EVENT_GROUPS: EventGroup[] = groupTypes()

function groupTypes(): EventGroup[] {
  const types = Object.entries(EVENT_TEXTS).map(([type, text]) => ({
    type: type as EventType,
    text,
  }))
  const groups = Map.groupBy(types, ({ type }) => {
    const [prefix = ''] = type.split('.')
    return GROUP_LABELS[prefix] ?? prefix
  })
  return [...groups].map(([label, types]) => ({ label, types }))
}
