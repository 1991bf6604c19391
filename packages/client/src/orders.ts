import type {
  AssetDownload,
  AssetDownloadPage,
  Branding,
  BrandingRequest,
  DownloadTotals,
  DownloadTotalsQuery,
  ListOrdersQuery,
  LoggedDownload,
  LoggedDownloadPage,
  Order,
  OrderChanges,
  OrderDownload,
  OrderFile,
  OrderPage,
  OrderRequest,
} from '@stowage/protocol'
import type { Listing, PageWith } from './listing.ts'
import type { CallSettings, PageQuery } from './options.ts'
import { checkId, type Request, splitSettings } from './request.ts'
import { randomKey } from './upload/session.ts'

/** An order. If its own assets were requested with `with_assets: true`, they are present. */
export type OrderWith<Assets extends boolean> = Assets extends true
  ? Order & Required<Pick<Order, 'assets'>>
  : Order

/** The calls of orders and download pages. An order is named by its ID in Stowage or by your own `reference`. */
export interface OrderCalls {
  /**
   * Creates an order, which is what one buyer may download, and returns it with the `url` of its download page. An order
   * with a known `reference` is changed instead, so the call can be repeated. Retries of the call create no second order.
   */
  createOrder(order: OrderRequest, settings?: CallSettings): Promise<Order>
  /** Lists the orders, newest first, in the same way as `assets`. */
  orders<Assets extends boolean = false>(
    query?: ListOrdersQuery & { with_assets?: Assets } & CallSettings,
  ): Listing<OrderWith<Assets>, PageWith<OrderPage, OrderWith<Assets>>>
  /** Returns an order by its ID in Stowage or by your own `reference`, like all calls of an order. */
  order<Assets extends boolean = false>(
    id: string,
    query?: { with_assets?: Assets } & CallSettings,
  ): Promise<OrderWith<Assets>>
  /**
   * Returns what an order covers now: its files and links, each with its downloads and its limit. At most the first 1,000.
   */
  orderFiles(id: string, settings?: CallSettings): Promise<OrderFile[]>
  /**
   * Changes, extends, holds or releases an order. A missing field keeps its value; `lines` replaces all lines. The URL of
   * the download page stays the same. A refund sets the `refunded_quantity` of a line.
   */
  changeOrder(id: string, changes: OrderChanges, settings?: CallSettings): Promise<Order>
  /** Revokes an order for good. Running downloads end within five minutes. To stop it for a while, set `held`. */
  revokeOrder(id: string, settings?: CallSettings): Promise<void>
  /** Attaches assets to one order only. Returns the order with all of its own assets. */
  attachToOrder(id: string, assetIds: string[], settings?: CallSettings): Promise<OrderWith<true>>
  /** Detaches assets from an order. Returns the order with its remaining own assets. */
  detachFromOrder(id: string, assetIds: string[], settings?: CallSettings): Promise<OrderWith<true>>
  /**
   * Starts the download of an asset for the buyer of an order, and returns its URL, which needs no key and is valid for 24
   * hours. It counts like the button of the download page: repeated within 24 hours, it returns the same download.
   */
  startDownload(id: string, assetId: string, settings?: CallSettings): Promise<OrderDownload>
  /** Lists the downloads of an order, newest first, in the same way as `assets`. */
  orderDownloads(
    id: string,
    query?: PageQuery & CallSettings,
  ): Listing<LoggedDownload, LoggedDownloadPage>
  /** Lists the downloads of an asset by the buyers of all orders, each with its order: the newest 10,000. */
  assetDownloads(
    id: string,
    query?: PageQuery & CallSettings,
  ): Listing<AssetDownload, AssetDownloadPage>
  /** Counts the downloads of buyers, by day, asset or product. Default: each of the last 31 days. */
  downloadTotals(query?: DownloadTotalsQuery & CallSettings): Promise<DownloadTotals>
  /** Returns the name, logo, color and help of the download pages, and the limit of orders without their own. */
  branding(settings?: CallSettings): Promise<Branding>
  /** Changes the branding. A missing field keeps its value, and null removes it. */
  changeBranding(changes: BrandingRequest, settings?: CallSettings): Promise<Branding>
}

/** The calls whose code is loaded on demand. */
export type OrderCallsOnDemand = Omit<OrderCalls, 'orders' | 'orderDownloads' | 'assetDownloads'>

const ORDER = '/orders/:order'
const BRANDING = '/account/branding'

/** Each call has the same effect if it is retried: a download that is open is joined. */
export function createOrderCalls({ data, json }: Request): OrderCallsOnDemand {
  const changeAssets =
    (action: 'attach' | 'detach') => async (id: string, assetIds: string[], settings?: object) =>
      data<OrderWith<true>>(`${ORDER}/${action}`, {
        ...settings,
        id,
        method: 'POST',
        body: { asset_ids: assetIds },
      })
  return {
    createOrder: (body, settings) =>
      data<Order>('/orders', {
        ...settings,
        headers: { 'Idempotency-Key': randomKey() },
        method: 'POST',
        body,
      }),
    order: (id, query) => data(ORDER, { ...splitSettings('with_assets', query), id }),
    orderFiles: (id, settings) => data<OrderFile[]>(`${ORDER}/files`, { ...settings, id }),
    changeOrder: (id, body, settings) =>
      data<Order>(ORDER, { ...settings, id, method: 'PATCH', body }),
    async revokeOrder(id, settings) {
      await json(ORDER, { ...settings, id, method: 'DELETE' })
    },
    attachToOrder: changeAssets('attach'),
    detachFromOrder: changeAssets('detach'),
    startDownload: async (id, assetId, settings) =>
      json<OrderDownload>(`${ORDER}/downloads`, {
        ...settings,
        id,
        method: 'POST',
        body: { asset: checkId(assetId) },
      }),
    downloadTotals: (query) =>
      json<DownloadTotals>('/account/downloads', splitSettings('from to by asset', query)),
    branding: (settings) => data<Branding>(BRANDING, settings),
    changeBranding: (body, settings) =>
      data<Branding>(BRANDING, { ...settings, method: 'PUT', body }),
  }
}
