import type { Asset } from '../domain/asset.ts'
import type {
  AssetDownload,
  Branding,
  CoveredFile,
  LoggedDownload,
  NewOrder,
  Order,
  OrderChange,
  OrderSource,
  OrderStatus,
} from '../domain/order.ts'
import type { Cursor, OrderSortKey, PageRequest } from '../domain/paging.ts'

/** Orders with equal values are sorted by their IDs. */
export interface OrderSort {
  by: OrderSortKey
  descending: boolean
}

export interface OrderQuery extends PageRequest {
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
  sort: OrderSort
  /** Each word is part of the number, the reference, the e-mail address, the name or the label. */
  words?: string[]
  /** The exact number. */
  number?: string
  status?: OrderStatus
  source?: OrderSource
  /** Covers this asset now. */
  asset?: string
  /** Has a line with this product, by the shop’s product ID. */
  productId?: number
  /** Whether all matches are counted, even if that takes long. */
  exactTotal?: boolean
}

export interface UnknownOfOrder {
  outcome: 'unknown'
  /** Indexes of the lines whose product or variant does not exist. */
  lines: number[]
  assetIds: string[]
}

/** A change of an order. Either everything changed, or nothing. */
export type ChangedOrder =
  | { outcome: 'changed'; order: Order }
  | { outcome: 'not_found' }
  /** A line has more refunded than its quantity. */
  | { outcome: 'over_refunded'; line: number }
  | UnknownOfOrder

export type PutOrder =
  | { outcome: 'added'; order: Order }
  | Exclude<ChangedOrder, { outcome: 'not_found' }>

export interface NewDownload {
  /** The ID of the download, if it is opened now. */
  id: string
  orderId: string
  assetId: string
  addressHash: string | null
}

/** Why a buyer cannot download a file. */
export type DownloadRefusal = 'limit_reached' | 'expired' | 'revoked' | 'held' | 'not_found'

export type OpenedDownload =
  | { outcome: 'open'; id: string; openUntil: Date; isNew: boolean }
  | { outcome: DownloadRefusal }

export type ContinuedDownload = { outcome: 'open'; assetId: string } | { outcome: DownloadRefusal }

export interface DownloadTotal {
  /** A day such as `2026-01-31`, the ID of an asset, or the shop’s ID of a product. */
  subject: string
  downloads: number
}

/** At most so many of the newest downloads of an asset are listed. */
export const MAX_ASSET_DOWNLOADS = 10_000

export interface DownloadTotalsQuery {
  by: 'day' | 'asset' | 'product'
  /** Days since 1970, both inclusive. */
  from: number
  to: number
  limit: number
  /** By day, only the downloads of this asset. */
  asset?: string
}

/** The downloads of one day: of the account, of an asset, or of a product. */
export interface DownloadCount {
  by: DownloadTotalsQuery['by']
  day: number
  /** Empty for the account. */
  subject: string
  downloads: number
}

/** A wrong counter of downloads. */
export type DownloadMiscount = { accountId: string; counted: number; actual: number } & (
  | { kind: 'file'; orderId: string; assetId: string }
  | { kind: 'order'; orderId: string }
  | { kind: 'day'; day: number }
  /** The number of the account's orders. */
  | { kind: 'orders' }
)

/** Everything about an order that a copy in another deployment needs. */
export interface OrderRecord {
  order: Order
  assetIds: string[]
  files: OrderFileRecord[]
}

export interface OrderFileRecord {
  assetId: string
  used: number
  downloadId: string
  openUntil: Date
  starts: number
}

/** The orders of one account, and what their buyers have downloaded. */
export interface OrderData {
  /**
   * Creates an order. If the source has an order with this reference, changes that one instead: concurrent calls create
   * one order.
   */
  putOrder(order: NewOrder): Promise<PutOrder>
  /** By our ID or by the shop’s reference. */
  findOrder(key: { id: string | null; reference: string }): Promise<Order | undefined>
  /**
   * On the first pages of a long list with a filter that matches many orders, the total may be an upper bound: see `atLeast` and
   * `exactTotal`.
   */
  listOrders(query: OrderQuery): Promise<{ rows: Order[]; total: number; atLeast?: number }>
  /** The ready assets that are attached to each of these orders themselves, oldest first. */
  assetsOfOrders(orderIds: string[]): Promise<Map<string, Asset[]>>
  changeOrder(id: string, change: OrderChange): Promise<ChangedOrder>
  /** Idempotent. False if the order does not exist. */
  revokeOrder(id: string): Promise<boolean>
  /** Idempotent. An order has at most `most` attached assets; otherwise nothing changes. */
  attachToOrder(
    id: string,
    assetIds: string[],
    most: number,
  ): Promise<ChangedOrder | { outcome: 'too_many' }>
  detachFromOrder(id: string, assetIds: string[]): Promise<ChangedOrder>

  /** What the order covers now, in the order of its lines, then by name. At most `limit` files. */
  listCoveredFiles(id: string, limit: number): Promise<CoveredFile[]>
  /** How many times the limit applies to an asset. 0: the order does not cover it. */
  countCopies(id: string, assetId: string): Promise<number>
  /**
   * Opens a download of a file, or joins the open one, which costs nothing. Checks and counts in one statement: however
   * many calls are concurrent, they never exceed the limit, and open one download.
   */
  openDownload(download: NewDownload): Promise<OpenedDownload>
  /**
   * Continues an open download. A request for the first byte counts as a start; after `STARTS_PER_DOWNLOAD` starts, the
   * next one counts as another download. The order must still cover the file.
   */
  continueDownload(id: string, isStart: boolean): Promise<ContinuedDownload>
  /** The log of an order, newest first. */
  listDownloads(
    orderId: string,
    query: PageRequest & { after?: Cursor },
  ): Promise<{ rows: LoggedDownload[]; total: number }>
  /** The log of an asset, newest first: the newest `MAX_ASSET_DOWNLOADS` downloads of all orders. */
  listDownloadsOfAsset(
    assetId: string,
    query: PageRequest & { after?: Cursor },
  ): Promise<{ rows: AssetDownload[]; total: number }>
  /** The names of those assets that exist, also in the trash. */
  namesOfAssets(ids: string[]): Promise<Map<string, string>>
  /** The days in their order; the assets and products with most downloads first. The cost does not depend on the number of downloads. */
  readDownloadTotals(query: DownloadTotalsQuery): Promise<DownloadTotal[]>

  findBranding(): Promise<Branding | undefined>
  /** Missing fields keep their values. */
  changeBranding(change: Partial<Branding>): Promise<Branding>

  /** Imports orders of another deployment. Existing ones are not changed. Records no events. */
  importOrders(imported: {
    orders?: OrderRecord[]
    downloads?: LoggedDownload[]
    counts?: DownloadCount[]
    branding?: Branding
  }): Promise<void>
}

/** The orders of all accounts. */
export interface AllOrders {
  /** The account and the ID of the order with this token. */
  findOrderByToken(hash: string): Promise<{ accountId: string; id: string } | undefined>
  /** The account and the order of an open or expired download. */
  findDownload(
    id: string,
  ): Promise<{ accountId: string; orderId: string; openUntil: Date } | undefined>
  /**
   * Counters that differ from the rows that they count: `used` of a file from the log, which may have forgotten downloads but has
   * none that were not counted; the downloads of an order from those of its files; those of an account on a day from those of
   * its assets; and the number of its orders. At most `limit` of each.
   */
  compareDownloads(limit: number): Promise<DownloadMiscount[]>
  /** Counts the rows again. */
  recountDownloads(miscount: DownloadMiscount): Promise<void>
  /** Deletes the counts of days before this one, at most `limit`. Returns their number. */
  forgetDownloadCounts(before: number, limit: number): Promise<number>
  /** Deletes at most `limit` downloads from the log that are older than this. Returns their number. */
  forgetDownloads(keptForMs: number, limit: number): Promise<number>
  /** The next orders of an account after the ID `after`, ordered by ID. */
  listOrderRecords(
    accountId: string,
    after: string | undefined,
    limit: number,
  ): Promise<OrderRecord[]>
  /** The next counts of an account after this one. */
  listDownloadCounts(
    accountId: string,
    after: DownloadCount | undefined,
    limit: number,
  ): Promise<DownloadCount[]>
}
