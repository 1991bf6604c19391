/** A tuple of exactly these elements. */
const key = <const Elements extends readonly unknown[]>(...elements: Elements) => elements

/**
 * The keys of everything that pages load. The first element is the kind of data: `live/affects.ts` decides by it which
 * queries an event makes outdated. A query whose key starts with the key of another one is invalidated together with
 * it, as `usage` with `account`.
 */
export const queryKeys = {
  session: () => key('session'),
  account: () => key('account'),
  usage: () => key('account', 'usage'),

  assetList: (query: object) => key('assets', 'list', query),
  assetSearch: (search: string) => key('assets', 'search', search),
  largestFiles: () => key('assets', 'largest'),
  assetsOfProduct: (productId: number) => key('assets', 'of product', productId),
  asset: (id: string) => key('asset', id),
  /** A list is outdated if it lacks the current version, or does not show that this version is damaged. */
  versions: (id: string, current: number, isDamaged: boolean) =>
    key('versions', id, current, isDamaged),
  downloadUrl: (id: string, version: number) => key('download-url', id, version),
  thumbnailUrl: (id: string, version: number) => key('thumbnail-url', id, version),
  trash: (query: object) => key('trash', query),
  uploads: (page: number) => key('uploads', page),

  productList: (query: object) => key('products', 'list', query),
  productName: (productId: number) => key('products', 'name', productId),
  productSearch: (search: string) => key('products', 'search', search),
  variants: (productId: number | undefined, search: string) =>
    key('products', 'variants', productId, search),
  product: (id: string) => key('product', id),
  assetCount: (variantId: string | undefined) => key('product', variantId, 'assets'),

  apiKeys: () => key('keys'),
  webhooks: () => key('webhooks'),
  webhook: (id: string) => key('webhooks', id),
  deliveries: (id: string, page: number) => key('webhooks', id, 'deliveries', page),
  delivery: (id: string) => key('delivery', id),
  events: (kind: string, before: number) => key('events', kind, before),
}

export type QueryKey = ReturnType<(typeof queryKeys)[keyof typeof queryKeys]>
/** The kinds of data, such as `assets`. */
export type QueryKind = QueryKey[0]
