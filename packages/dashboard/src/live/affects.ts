import type { StowageEvent } from '@stowage/client'
import type { QueryKey, QueryKind } from '../query-keys.ts'

interface Effect {
  kinds: readonly QueryKind[]
  /** Whether it changes `asset` and `versions` of every asset, not only of the asset that the event is about. */
  isAboutEveryAsset?: boolean
}

const ASSET: Effect = {
  kinds: ['assets', 'asset', 'versions', 'trash', 'account', 'products', 'product', 'uploads'],
}
const UPLOAD: Effect = { kinds: ['uploads', 'asset', 'account'] }
/** An asset shows the names of its products. */
const PRODUCT: Effect = {
  kinds: ['products', 'product', 'assets', 'asset'],
  isAboutEveryAsset: true,
}
const KEY: Effect = { kinds: ['keys'] }
const WEBHOOK: Effect = { kinds: ['webhooks'] }

/** The data that each type of event changes, besides `events`. A new type does not compile until it is listed. */
const EFFECTS: Record<StowageEvent['type'], Effect> = {
  'asset.ready': ASSET,
  'asset.updated': ASSET,
  'asset.replaced': ASSET,
  'asset.deleted': ASSET,
  'asset.restored': ASSET,
  'asset.removed': ASSET,
  'asset.damaged': ASSET,
  'asset.attached': ASSET,
  'asset.detached': ASSET,
  'version.deleted': { kinds: ['versions', 'account'] },
  'upload.started': UPLOAD,
  'upload.updated': UPLOAD,
  'upload.cancelled': UPLOAD,
  'upload.expired': UPLOAD,
  'product.updated': PRODUCT,
  'product.deleted': PRODUCT,
  'key.created': KEY,
  'key.revoked': KEY,
  'webhook.created': WEBHOOK,
  'webhook.updated': WEBHOOK,
  'webhook.deleted': WEBHOOK,
  'token.created': { kinds: [] },
  'account.storage_low': { kinds: ['account'] },
}

/** Returns whether one of the events has changed the data of this query. */
export function affects(events: readonly StowageEvent[], queryKey: QueryKey): boolean {
  return events.some((event) => hasEffectOn(queryKey, event))
}

function hasEffectOn(queryKey: QueryKey, { type, data }: StowageEvent): boolean {
  if (queryKey[0] === 'events') return true
  // A newer service may send types that this page does not know.
  if (!Object.hasOwn(EFFECTS, type)) return false
  const { kinds, isAboutEveryAsset = false } = EFFECTS[type]
  if (!kinds.includes(queryKey[0])) return false
  const isOfOneAsset = queryKey[0] === 'asset' || queryKey[0] === 'versions'
  if (!isOfOneAsset || isAboutEveryAsset) return true
  return 'id' in data && data.id === queryKey[1]
}
