import type { StowageEvent } from '@stowage/client'
import { webhooks } from '../i18n/en/webhooks.ts'

export type EventType = StowageEvent['type']

type GroupName = keyof typeof webhooks.groups

/** By the part of the type before the dot. */
const GROUPS: Record<string, GroupName> = {
  asset: 'assets',
  version: 'assets',
  upload: 'uploads',
  product: 'products',
  order: 'orders',
  mail: 'orders',
  account: 'storage',
}

export interface EventGroup {
  name: GroupName
  types: EventType[]
}

export const EVENT_GROUPS: EventGroup[] = groupTypes()

/** Every type has a text that says when it is sent. A new type does not compile until it has one. */
function groupTypes(): EventGroup[] {
  const texts: Record<EventType, string> = webhooks.when
  const groups = Map.groupBy(Object.keys(texts) as EventType[], (type) => {
    const [prefix = ''] = type.split('.')
    return GROUPS[prefix] ?? 'access'
  })
  return [...groups].map(([name, types]) => ({ name, types }))
}
