import type { StowageEvent } from '@stowage/client'

/**
 * The data that an event changes. The key is the first word of the event’s type, and the value has the first elements
 * of the query keys of that data.
 */
const AFFECTED: Record<string, string> = {
  asset: 'assets asset versions trash account product products uploads',
  version: 'versions account',
  upload: 'uploads asset account',
  product: 'products product assets asset',
  key: 'keys',
  webhook: 'webhooks',
  account: 'account',
}

/** The data of one asset: its ID is the second element of the query key. */
const OF_ONE_ASSET = new Set(['asset', 'versions'])

/** Returns whether one of the events has changed the data of this query. */
export function affects(events: readonly StowageEvent[], queryKey: readonly unknown[]): boolean {
  const [kind, id] = queryKey
  if (kind === 'events') return true
  return events.some(({ type, data }) => {
    const subject = type.split('.')[0] ?? ''
    if (!AFFECTED[subject]?.split(' ').includes(`${kind}`)) return false
    if (!OF_ONE_ASSET.has(`${kind}`) || subject === 'product') return true
    return 'id' in data && data.id === id
  })
}
