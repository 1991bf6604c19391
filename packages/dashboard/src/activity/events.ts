import type { StowageEvent } from '@stowage/client'
import { activity } from '../i18n/en/activity.ts'
import { common } from '../i18n/en/common.ts'
import { fill, type Plural, plural } from '../i18n/texts.ts'

export type EventType = StowageEvent['type']

/** A new type does not compile until it has a label. */
const labels = (): Record<EventType, string> => activity.types

/** The name of a type. One that this page does not know is shown as it is. */
export function typeLabel(type: EventType): string {
  return Object.hasOwn(labels(), type) ? labels()[type] : type
}

/** What happened. Events that version 0.2.0 has recorded do not have what was before. */
export function eventLabel(event: StowageEvent): string {
  const { type, data } = event
  if (type === 'webhook.updated') {
    if (data.changed.includes('enabled'))
      return data.enabled ? activity.webhookEnabled : activity.webhookDisabled
    if (data.changed.includes('secret')) return activity.secretReplaced
  }
  if (type === 'version.deleted') return fill(activity.versionDeleted, { version: data.version })
  if (type === 'asset.replaced') {
    const { version, restored } = data
    if (restored === true) return fill(activity.versionRestored, { version })
    return restored === false ? fill(activity.replacedBy, { version }) : typeLabel(type)
  }
  if (type === 'asset.updated') {
    const { previous, repaired_version } = data
    if (repaired_version !== undefined) {
      return fill(activity.readableAgain, { version: repaired_version })
    }
    if (previous?.filename !== undefined) return activity.renamed
    if (previous?.path !== undefined) return activity.moved
    if (previous?.tags !== undefined) return activity.tagsChanged
    if (previous?.url !== undefined) return activity.urlChanged
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
  return { from: previous.path ?? activity.noFolder, to: path ?? activity.noFolder }
}

/** What happened to several resources by one call. */
export function groupLabel(events: readonly StowageEvent[], isMore: boolean): string {
  const [first] = events
  if (first === undefined) return ''
  const ids = new Set(events.map(({ id, data }) => ('id' in data ? data.id : id)))
  const items = (forms: Plural) => {
    const text = plural(forms, ids.size)
    return isMore ? fill(activity.atLeast, { items: text }) : text
  }
  const texts = activity.grouped
  switch (first.type) {
    case 'asset.ready':
      return fill(texts.added, { items: items(common.assets) })
    case 'asset.updated': {
      const isMove = events.every((event) => eventLabel(event) === activity.moved)
      return fill(isMove ? texts.moved : texts.changed, { items: items(common.assets) })
    }
    case 'asset.deleted':
      return fill(texts.deleted, { items: items(common.assets) })
    case 'asset.restored':
      return fill(texts.restored, { items: items(common.assets) })
    case 'asset.removed':
      return fill(texts.removed, { items: items(common.assets) })
    case 'asset.attached':
      return fill(texts.attached, { items: items(common.assets) })
    case 'asset.detached':
      return fill(texts.detached, { items: items(common.assets) })
    case 'product.updated':
      return fill(texts.saved, { items: items(common.products) })
    case 'product.deleted':
      return fill(texts.deleted, { items: items(common.products) })
    case 'upload.cancelled':
      return fill(texts.cancelled, { items: items(common.uploads) })
    case 'upload.expired':
      return fill(texts.expired, { items: items(common.uploads) })
    default:
      return fill(texts.times, { label: typeLabel(first.type), items: items(activity.times) })
  }
}

/** The name of the resource, or the origin of a webhook or an upload token. */
export function eventSubject({ type, data }: StowageEvent): string {
  if ('file' in data) return data.file.filename
  if ('recipient' in data) return data.recipient
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

/** The page of the resource; undefined if it has none, and if the event ended it. */
export function eventHref({ type, data }: StowageEvent): string | undefined {
  const isGone = /^(asset|product)\.(deleted|removed)$|cancelled|expired/.test(type)
  if (isGone || !('id' in data)) return undefined
  if (/^(asset|upload|version)\./.test(type)) return `/assets/${data.id}`
  if (type.startsWith('order.')) return `/orders/${data.id}`
  if (type.startsWith('mail.')) return `/mails/${data.id}`
  return type.startsWith('product.') ? `/products/${data.id}` : undefined
}

/** Who did it. */
export function actorText({ actor }: StowageEvent): string {
  if (actor.type === 'key') return actor.name ?? activity.apiKey
  const names: Record<string, string> = activity.actors
  return names[actor.type] ?? actor.type
}

/** The filter that finds what this actor did. */
export function actorFilter({ actor: { type, id, name } }: StowageEvent): string {
  return type === 'key' ? (id ?? `key:${name}`) : type
}

/** The groups of event types that can be selected. */
export const GROUPS = {
  assets: [
    'asset.ready',
    'asset.updated',
    'asset.replaced',
    'asset.deleted',
    'asset.restored',
    'asset.removed',
    'asset.damaged',
    'version.deleted',
  ],
  attachments: ['asset.attached', 'asset.detached'],
  uploads: ['upload.started', 'upload.updated', 'upload.cancelled', 'upload.expired'],
  products: ['product.updated', 'product.deleted', 'product.arranged'],
  keys: [
    'key.created',
    'key.revoked',
    'token.created',
    'token.revoked',
    'webhook.created',
    'webhook.updated',
    'webhook.deleted',
  ],
  orders: [
    'order.created',
    'order.updated',
    'order.revoked',
    'order.downloaded',
    'order.limit_reached',
    'order.more_requested',
    'mail.sent',
    'mail.failed',
  ],
  storage: ['account.storage_low', 'account.suspended', 'account.resumed'],
} as const satisfies Record<keyof typeof activity.groups, readonly EventType[]>

type GroupName = keyof typeof GROUPS

/** The actions in the filter of the page: one or all types of a group. `isVisible`: whether the key may see keys. */
export function actionChoices(isVisible: boolean) {
  const groups = Object.entries(GROUPS) as [GroupName, readonly EventType[]][]
  return groups
    .filter(([group]) => group !== 'keys' || isVisible)
    .map(([group, types]) => ({
      group: activity.groups[group],
      items: [
        { value: group as string, label: activity.all[group] },
        ...types.map((type) => ({ value: type as string, label: filterLabel(type) })),
      ],
    }))
}

/** In a list of choices, the label must not depend on the event. */
function filterLabel(type: EventType): string {
  if (type === 'asset.updated') return activity.changedChoice
  if (type === 'asset.replaced') return activity.replacedChoice
  return typeLabel(type)
}

/** The types of a choice; undefined if there is no such choice. */
export function typesOf(choice: string): readonly EventType[] | undefined {
  if (Object.hasOwn(GROUPS, choice)) return GROUPS[choice as GroupName]
  return Object.hasOwn(labels(), choice) ? [choice as EventType] : undefined
}

export function choiceLabel(choice: string): string {
  if (Object.hasOwn(GROUPS, choice)) return activity.all[choice as GroupName]
  return filterLabel(choice as EventType)
}
