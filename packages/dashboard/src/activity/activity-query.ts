/** The filter and the position of the activity, as in the URL. */
export interface ActivityQuery {
  kind: Kind
  /** Shows only events before the event with this ID; 0 for the newest events. */
  before: number
}

/** The groups of event types that can be selected. */
export const KINDS = {
  all: { label: 'All activity', types: '' },
  assets: {
    label: 'Assets',
    types:
      'asset.ready,asset.updated,asset.replaced,asset.deleted,asset.restored,asset.removed,asset.damaged,version.deleted',
  },
  attachments: { label: 'Attachments', types: 'asset.attached,asset.detached' },
  uploads: {
    label: 'Uploads',
    types: 'upload.started,upload.updated,upload.cancelled,upload.expired',
  },
  products: { label: 'Products', types: 'product.updated,product.deleted' },
  keys: {
    label: 'Keys and webhooks',
    types: 'key.created,key.revoked,token.created,webhook.created,webhook.updated,webhook.deleted',
  },
  storage: { label: 'Storage', types: 'account.storage_low' },
} as const

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
