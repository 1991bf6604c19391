import type { Asset } from './asset.ts'
import type { NewMail } from './mail.ts'

/** What one buyer may download. */
export interface Order {
  id: string
  accountId: string
  source: OrderSource
  /** The shop’s own ID of the order, unique per account and source. */
  reference: string | null
  number: string | null
  email: string | null
  name: string | null
  locale: string | null
  label: string | null
  lines: OrderLine[]
  /** How many downloads of its files have counted. */
  downloads: number
  /** Of each file, times the quantity of the line. Null: the setting of the account. */
  maxDownloads: number | null
  expiresAt: Date | null
  isHeld: boolean
  /** Whether its files may be opened in the page, without counting. */
  isInline: boolean
  revokedAt: Date | null
  emailSentAt: Date | null
  orderedAt: Date
  createdAt: Date
  updatedAt: Date
  /** The buyer has asked for more downloads of this file; null after the limit was changed. */
  more: { assetId: string; requestedAt: Date } | null
  status: OrderStatus
  /** The token of its download page, encrypted: see `SecretKey`. */
  sealedToken: string
  /** SHA-256 of the token in hexadecimal. */
  tokenHash: string
}

/** `manual`: made in the dashboard. */
export type OrderSource = 'api' | 'manual'

/** An order that is revoked stays so. `held` and `expired` can be changed. */
export type OrderStatus = 'active' | 'held' | 'expired' | 'revoked'

/** A product of an order, by the shop’s own IDs. */
export interface OrderLine {
  productId: number
  /** Null: every variant of the product. */
  variantId: number | null
  quantity: number
  /** A line whose whole quantity is refunded covers nothing. */
  refunded: number
  /** Null if the product was deleted. */
  product: OrderProduct | null
}

/** The first variant that a line covers. */
export interface OrderProduct {
  id: string
  name: string
  variantName: string
  sku: string
}

export type NewOrderLine = Pick<OrderLine, 'productId' | 'variantId' | 'quantity'> & {
  /** Missing: as before, or 0. */
  refunded?: number
}

/** The fields of an order that a call may set. A missing one keeps its value. */
export interface OrderChange {
  number?: string | null
  email?: string | null
  name?: string | null
  locale?: string | null
  label?: string | null
  lines?: NewOrderLine[]
  maxDownloads?: number | null
  expiresAt?: Date | null
  isHeld?: boolean
  isInline?: boolean
  orderedAt?: Date
}

/** An order to create, or to change if its reference is known. */
export interface NewOrder extends OrderChange {
  id: string
  source: OrderSource
  reference: string | null
  assetIds: string[]
  sealedToken: string
  tokenHash: string
  createdAt: Date
  /** Tells the buyer, unless the creation of the order has told them before. */
  mail?: NewMail | undefined
}

/** The data of an event about an order: without its URL, which other readers of the events must not get. */
export type EventOrder = Omit<Order, 'accountId' | 'sealedToken' | 'tokenHash'>

export function toEventOrder(order: Order): EventOrder {
  const { accountId, sealedToken, tokenHash, ...facts } = order
  return facts
}

/** A file that was downloaded, or whose limit was reached. */
export interface DownloadedFile {
  assetId: string
  filename: string
  version: number
}

/** A file or link that an order covers now. */
export interface CoveredFile {
  asset: Asset
  /** The index of the first line that covers it; undefined if it is attached to the order itself. */
  line: number | undefined
  /** The remaining quantity of all lines that cover it, and 1 if it is attached to the order itself. */
  copies: number
  /** When the current version was requested. */
  versionAt: Date
  used: number
  /** How often the bytes of the last download were requested from the first one on. */
  starts: number
  /** Until when the last download can be continued; null if it never was downloaded. */
  openUntil: Date | null
}

/** At most so many files of an order are listed. All of them can be downloaded. */
export const MAX_COVERED_FILES = 1000

/** How long a download can be continued, without counting again. */
export const DOWNLOAD_MS = 24 * 3_600_000
/** How often a download can be started from the first byte. The next start counts as another download. */
export const STARTS_PER_DOWNLOAD = 10

/** How often a file may be downloaded: null means any number of times. */
export function limitOf(maxDownloads: number | null, copies: number): number | null {
  return maxDownloads === null ? null : maxDownloads * copies
}

/** What the storage asks before it sends bytes for a URL that is older than a few minutes. */
export interface DownloadGuard {
  /** Counts a start. Throws a `ServiceError` if the download may not continue. */
  continueDownload(id: string, isStart: boolean): Promise<void>
}

/** How a file can be seen in a page, without downloading it. */
export type View = 'audio' | 'video' | 'pdf' | 'picture'

/** A larger picture has no preview: the service does not change files, so the preview is the file itself. */
export const MAX_PREVIEW_BYTES = 250_000

/** Undefined for types that browsers cannot show, or in which scripts can run, such as SVG. */
export function viewOf({ mime }: Pick<Asset, 'mime'>): View | undefined {
  const type = mime.toLowerCase().split(';')[0]?.trim() ?? ''
  if (/^audio\/[\w.+-]+$/.test(type)) return 'audio'
  if (/^video\/[\w.+-]+$/.test(type)) return 'video'
  if (type === 'application/pdf') return 'pdf'
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(type) ? 'picture' : undefined
}

/** One download of the log. */
export interface LoggedDownload {
  id: string
  orderId: string
  assetId: string
  version: number
  filename: string
  bytes: number
  /** A keyed hash of the buyer’s IP address; null if a backend opened the download. */
  addressHash: string | null
  openedAt: Date
  starts: number
  cost: number
}

/** A download of a file, with the order it belongs to. */
export interface AssetDownload extends LoggedDownload {
  order: Pick<Order, 'id' | 'number' | 'name' | 'email' | 'label' | 'reference'>
}

/** How the download pages of an account look. */
export interface Branding {
  name: string | null
  /** The asset with the logo. */
  logo: string | null
  /** Such as `#0b7285`. */
  color: string | null
  helpText: string | null
  helpEmail: string | null
  /** For orders without a limit of their own; null: no limit. */
  maxDownloads: number | null
}

export const NO_BRANDING: Branding = {
  name: null,
  logo: null,
  color: null,
  helpText: null,
  helpEmail: null,
  maxDownloads: null,
}

/** The texts that a search for orders looks at. */
export function textsOfOrder(
  order: Pick<Order, 'number' | 'reference' | 'email' | 'name' | 'label'>,
): string {
  const { number, reference, email, name, label } = order
  return [number, reference, email, name, label].filter((text) => text).join(' ')
}
