import type { StowageEvent } from '@stowage/client'

/** A tuple of exactly these elements. */
const key = <const Elements extends readonly unknown[]>(...elements: Elements) => elements

/**
 * The keys of everything that pages load. The first element is the kind of data: it decides which queries an
 * event makes outdated. A query whose key starts with the key of another one is invalidated together with
 * it, as `usage` with `account`.
 */
export const queryKeys = {
  session: () => key('session'),
  account: () => key('account'),
  usage: () => key('account', 'usage'),

  assetList: (query: object) => key('assets', 'list', query),
  folders: (parent: string, after: string) => key('assets', 'folders', parent, after),
  folderMoves: () => key('assets', 'folder-moves'),
  assetChoices: (search: string) => key('assets', 'choices', search),
  bulkJobs: () => key('assets', 'bulk'),
  assetSearch: (search: string) => key('assets', 'search', search),
  largestFiles: () => key('assets', 'largest'),
  assetsOfProduct: (productId: number) => key('assets', 'of-product', productId),
  asset: (id: string) => key('asset', id),
  /** A list is outdated if it lacks the current version, or does not show that this version is damaged. */
  versions: (id: string, current: number, isDamaged: boolean) =>
    key('versions', id, current, isDamaged),
  downloadUrl: (id: string, version: number) => key('download-url', id, version),
  thumbnailUrl: (id: string, version: number) => key('thumbnail-url', id, version),
  tags: (search: string, limit: number) => key('tags', search, limit),
  trash: (query: object) => key('trash', query),
  uploads: (page: number) => key('uploads', page),

  productList: (query: object) => key('products', 'list', query),
  productName: (productId: number) => key('products', 'name', productId),
  allProducts: () => key('products', 'all'),
  productsOfNames: (names: readonly string[]) => key('products', 'of-names', names),
  productSearch: (search: string) => key('products', 'search', search),
  productChoices: (search: string) => key('products', 'choices', search),
  variants: (productId: number | undefined, search: string) =>
    key('products', 'variants', productId, search),
  product: (id: string) => key('product', id),
  assetCount: (variantId: string | undefined) => key('product', variantId, 'assets'),

  branding: () => key('branding'),
  orderList: (query: object) => key('orders', 'list', query),
  order: (id: string) => key('order', id),
  orderFiles: (id: string) => key('order', id, 'files'),
  assetDownloads: (id: string, page: number) => key('downloads', 'asset', id, page),
  downloadTotals: (query: object) => key('downloads', 'totals', query),
  orderDownloads: (id: string, page: number) => key('downloads', 'order', id, page),

  mailList: (query: object) => key('mails', 'list', query),
  mail: (id: string) => key('mails', 'one', id),
  mailTexts: () => key('mail-texts'),
  newsPreview: (assetId: string, version: number) => key('news-preview', assetId, version),
  notices: (assetId: string) => key('notices', assetId),

  apiKeys: () => key('keys'),
  uploadTokens: () => key('tokens'),
  webhooks: () => key('webhooks'),
  webhook: (id: string) => key('webhooks', id),
  deliveries: (id: string, page: number) => key('webhooks', id, 'deliveries', page),
  delivery: (id: string) => key('delivery', id),
  events: (query: object) => key('events', query),
  serviceStatus: () => key('service'),
}

export type QueryKey = ReturnType<(typeof queryKeys)[keyof typeof queryKeys]>
/** The kinds of data, such as `assets`. */
export type QueryKind = QueryKey[0]

interface Effect {
  kinds: readonly QueryKind[]
  /** Whether it changes `asset` and `versions` of every asset, not only of the asset that the event is about. */
  isAboutEveryAsset?: boolean
}

const ASSET: Effect = {
  kinds: [
    'assets',
    'asset',
    'versions',
    'tags',
    'trash',
    'account',
    'products',
    'product',
    'uploads',
    'order',
  ],
}
const UPLOAD: Effect = { kinds: ['uploads', 'asset', 'account'] }
/** An asset shows the names of its products, and an order covers their files. */
const PRODUCT: Effect = {
  kinds: ['products', 'product', 'assets', 'asset', 'order'],
  isAboutEveryAsset: true,
}
const KEY: Effect = { kinds: ['keys'] }
const TOKEN: Effect = { kinds: ['tokens'] }
/** A mail is made from its order. */
const ORDER: Effect = { kinds: ['orders', 'order', 'mails'] }
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
  'product.arranged': PRODUCT,
  'key.created': KEY,
  'key.revoked': KEY,
  'webhook.created': WEBHOOK,
  'webhook.updated': WEBHOOK,
  'webhook.deleted': WEBHOOK,
  'token.created': TOKEN,
  'token.revoked': TOKEN,
  'order.created': ORDER,
  'order.updated': ORDER,
  'order.revoked': ORDER,
  'order.downloaded': { kinds: ['orders', 'order', 'downloads'] },
  // The service counts no download.
  'order.limit_reached': { kinds: [] },
  'order.more_requested': ORDER,
  'mail.sent': { kinds: ['orders', 'order', 'mails', 'notices'] },
  'mail.failed': { kinds: ['mails', 'notices'] },
  'account.storage_low': { kinds: ['account'] },
  'account.suspended': { kinds: ['account'] },
  'account.resumed': { kinds: ['account'] },
}

/** Returns whether one of the events has changed the data of this query. */
export function affects(events: readonly StowageEvent[], queryKey: QueryKey): boolean {
  return events.some(({ type, data }) => {
    if (!changesKind(type, queryKey[0])) return false
    const isOfOneAsset = queryKey[0] === 'asset' || queryKey[0] === 'versions'
    if (!isOfOneAsset || EFFECTS[type].isAboutEveryAsset) return true
    return 'id' in data && data.id === queryKey[1]
  })
}

/**
 * Selects the queries to load again after a change that this page has made, named by the events that it causes. The
 * events themselves arrive later, or not at all while the stream is interrupted.
 */
export function changedBy(...types: StowageEvent['type'][]) {
  return {
    predicate: ({ queryKey }: { queryKey: QueryKey }) =>
      types.some((type) => changesKind(type, queryKey[0])),
  }
}

function changesKind(type: StowageEvent['type'], kind: QueryKind): boolean {
  if (kind === 'events') return true
  // A newer service may send types that this page does not know.
  return Object.hasOwn(EFFECTS, type) && EFFECTS[type].kinds.includes(kind)
}
