import { timingSafeEqual } from 'node:crypto'
import type { DownloadRefusal } from '../database/order-data.ts'
import { ServiceError } from '../domain/errors.ts'
import { buyerActor } from '../domain/event.ts'
import {
  type Branding,
  type CoveredFile,
  type DownloadGuard,
  limitOf,
  MAX_COVERED_FILES,
  MAX_PREVIEW_BYTES,
  NO_BRANDING,
  type Order,
  STARTS_PER_DOWNLOAD,
  type View,
  viewOf,
} from '../domain/order.ts'
import { type AccountContext, type Context, forAccount } from './context.ts'
import { type SignedFile, signDownload } from './downloads.ts'
import { getOrder, hashOrderToken } from './orders.ts'

/** An order as its buyer sees it. The context acts for the buyer. */
export interface BuyersOrder {
  context: AccountContext
  order: Order
  branding: Branding
  /** How often each file may be downloaded, before it is multiplied by the quantity; null: any number of times. */
  maxDownloads: number | null
}

/** Undefined for an unknown token. */
export async function findBuyersOrder(
  context: Context,
  token: string,
): Promise<BuyersOrder | undefined> {
  const found = await context.database.findOrderByToken(hashOrderToken(token))
  if (found === undefined) return undefined
  return readBuyersOrder(context, found)
}

async function readBuyersOrder(
  context: Context,
  { accountId, id }: { accountId: string; id: string },
): Promise<BuyersOrder | undefined> {
  const own = forAccount(context, accountId, buyerActor(id))
  const order = await own.data.findOrder({ id, reference: id })
  if (order === undefined) return undefined
  const branding = (await own.data.findBranding()) ?? NO_BRANDING
  const maxDownloads = order.maxDownloads ?? branding.maxDownloads
  return { context: own, order, branding, maxDownloads }
}

/** A file of an order, as its buyer sees it. */
export interface BuyersFile extends CoveredFile {
  /** How often it may be downloaded; null: any number of times. */
  limit: number | null
  /** Whether its last download can be started again now, at no cost. */
  isOpen: boolean
}

/** What the order covers now. Reading it never counts. */
export async function listBuyersFiles({
  context,
  order,
  maxDownloads,
}: BuyersOrder): Promise<BuyersFile[]> {
  const files = await context.data.listCoveredFiles(order.id, MAX_COVERED_FILES)
  const now = context.clock()
  return files.map((file) => {
    const { starts, used, openUntil } = file
    const limit = limitOf(maxDownloads, file.copies)
    // The next start counts, so it is refused.
    const isUsedUp =
      limit !== null && used >= limit && starts > 0 && starts % STARTS_PER_DOWNLOAD === 0
    return { ...file, limit, isOpen: openUntil !== null && openUntil > now && !isUsedUp }
  })
}

/** What an order covers, for its merchant: in any state, with the counters of each file. */
export async function listOrderFiles(context: AccountContext, key: string): Promise<BuyersFile[]> {
  const order = await getOrder(context, key)
  const branding = (await context.data.findBranding()) ?? NO_BRANDING
  const maxDownloads = order.maxDownloads ?? branding.maxDownloads
  return listBuyersFiles({ context, order, branding, maxDownloads })
}

/** Tells the shop that the buyer wants more downloads of a file, once until it answers. False if the order does not cover it. */
export async function requestMore(
  { context, order }: BuyersOrder,
  assetId: string,
): Promise<boolean> {
  if ((await context.data.countCopies(order.id, assetId)) === 0) return false
  await context.data.requestMore(order.id, assetId)
  return true
}

export type StartedDownload =
  | { outcome: 'open'; fileToken: string; openUntil: Date }
  /** `filename` is that of the file whose limit is reached. */
  | { outcome: DownloadRefusal; filename?: string | undefined }

export type { DownloadRefusal }

/** Opens a download of a file, or joins the open one. `address` is that of the buyer. */
export async function startDownload(
  context: AccountContext,
  { orderId, assetId }: { orderId: string; assetId: string },
  address?: string,
): Promise<StartedDownload> {
  // A damaged file is refused before it counts.
  await signDownload(context, assetId)
  const opened = await context.data.openDownload({
    id: context.newId(),
    orderId,
    assetId,
    addressHash: address === undefined ? null : hashAddress(context, address),
  })
  if (opened.outcome === 'limit_reached') {
    const asset = await context.data.findAsset(assetId)
    return { outcome: opened.outcome, filename: asset?.filename }
  }
  if (opened.outcome !== 'open') return opened
  const { id, openUntil } = opened
  return { outcome: 'open', fileToken: fileTokenOf(context, id), openUntil }
}

/** Equal for equal addresses. Without the service's key, it does not reveal the address. */
function hashAddress({ secretKey }: Context | AccountContext, address: string): string | null {
  if (secretKey.isLost) return null
  return Buffer.from(secretKey.derive(`address ${address}`))
    .toString('hex')
    .slice(0, 16)
}

const ID_BYTES = 16
const CODE_BYTES = 16

/** The ID of a download, and a code that only the service's key can make: the database does not contain it. */
function fileTokenOf({ secretKey }: Pick<Context, 'secretKey'>, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  return Buffer.concat([bytes, codeOf(secretKey, id)]).toString('base64url')
}

function codeOf(secretKey: Context['secretKey'], id: string): Uint8Array {
  return secretKey.derive(`download ${id}`).subarray(0, CODE_BYTES)
}

/** The ID of the download; undefined if the token is not one of this service. */
function readFileToken({ secretKey }: Context, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== ID_BYTES + CODE_BYTES || bytes.toString('base64url') !== token) {
    return undefined
  }
  const hex = bytes.subarray(0, ID_BYTES).toString('hex')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return timingSafeEqual(codeOf(secretKey, id), bytes.subarray(ID_BYTES)) ? id : undefined
}

/** How long the URL of the bytes is valid: a revoked order stops within this time. */
const SIGNED_FOR_MS = 5 * 60_000

export type ContinuedDownload =
  | {
      outcome: 'open'
      url: string
      /** Undefined for a link. */
      file?: SignedFile
      /** Whether the order still allows the download. */
      isAllowed(): Promise<boolean>
    }
  | { outcome: DownloadRefusal; buyer: BuyersOrder }

/**
 * A freshly signed URL of the bytes of an open download. A start is a request that gets the first byte. Undefined for an
 * unknown token.
 */
export async function continueDownload(
  context: Context,
  fileToken: string,
  /** Whether the response has the first byte of the file. */
  isStart: (file: SignedFile | undefined) => boolean,
): Promise<ContinuedDownload | undefined> {
  const id = readFileToken(context, fileToken)
  const found = id === undefined ? undefined : await context.database.findDownload(id)
  if (id === undefined || found === undefined) return undefined
  const { accountId, orderId, openUntil } = found
  const own = forAccount(context, accountId, buyerActor(orderId))
  const refuse = async (outcome: DownloadRefusal): Promise<ContinuedDownload | undefined> => {
    const buyer = await readBuyersOrder(context, { accountId, id: orderId })
    return buyer && { outcome, buyer }
  }
  const open = await own.data.continueDownload(id, false)
  if (open.outcome !== 'open') return refuse(open.outcome)
  const { url, file } = await signDownload(own, open.assetId, {
    validForMs: SIGNED_FOR_MS,
    renewal: (renewed) => {
      return { download: id, until: openUntil.getTime(), isStarted: isStart(renewed) }
    },
  })
  const isAllowed = async () => (await own.data.continueDownload(id, false)).outcome === 'open'
  const download = { outcome: 'open' as const, url, ...(file && { file }), isAllowed }
  if (!isStart(file)) return download
  // Counted last: a file that cannot be read now does not count.
  const started = await own.data.continueDownload(id, true)
  return started.outcome === 'open' ? download : refuse(started.outcome)
}

/**
 * Browsers resume a download at the URL that redirects have led to, and follow none then. So the disk storage asks the service
 * instead of refusing an older URL.
 */
export function createDownloadGuard(context: Context): DownloadGuard {
  return {
    async continueDownload(id, isStart) {
      const found = await context.database.findDownload(id)
      if (found === undefined) throw downloadRefused('not_found')
      const own = forAccount(context, found.accountId, buyerActor(found.orderId))
      const { outcome } = await own.data.continueDownload(id, isStart)
      if (outcome !== 'open') throw downloadRefused(outcome)
    },
  }
}

/** A URL of a file of the order that does not count: to see it in the page, where that is allowed. */
export async function signView(buyer: BuyersOrder, assetId: string): Promise<string | undefined> {
  const { order, context, maxDownloads } = buyer
  const [copies, asset] = await Promise.all([
    context.data.countCopies(order.id, assetId),
    context.data.findAsset(assetId),
  ])
  if (asset === undefined || copies === 0) return undefined
  const { view, hasPreview } = viewsOf(order, { asset, limit: limitOf(maxDownloads, copies) })
  if (view === undefined && !hasPreview) return undefined
  return (await signDownload(context, assetId, { validForMs: SIGNED_FOR_MS, isInline: true })).url
}

/** How the buyer may see a file in the page, without counting. */
export interface FileViews {
  /** Whether the order or the asset allows to open it: undefined if not, or if browsers cannot show it. */
  view: View | undefined
  /**
   * Whether it is shown as a preview. A small picture has one even if it may not be opened, unless its downloads are
   * limited: the preview is the file itself, and would bypass the limit.
   */
  hasPreview: boolean
}

export function viewsOf(
  { status, isInline }: Pick<Order, 'status' | 'isInline'>,
  { asset, limit }: Pick<BuyersFile, 'asset' | 'limit'>,
): FileViews {
  const type = status === 'active' && asset.kind === 'file' ? viewOf(asset) : undefined
  const view = isInline || asset.isInline ? type : undefined
  const isSmallPicture = type === 'picture' && asset.bytes <= MAX_PREVIEW_BYTES
  return { view, hasPreview: isSmallPicture && (view !== undefined || limit === null) }
}

/** A URL of the merchant’s logo; undefined if there is none. */
export async function signLogo({ context, branding }: BuyersOrder): Promise<string | undefined> {
  if (branding.logo === null) return undefined
  return (await signDownload(context, branding.logo, { validForMs: SIGNED_FOR_MS })).url
}

const REFUSALS = {
  limit_reached: [
    'limit_reached',
    'The buyer has downloaded this file as often as the order allows. Raise max_downloads of the order.',
  ],
  expired: ['order_expired', 'The order has expired. Set another expires_at.'],
  revoked: ['order_revoked', 'The order was revoked. Create another one.'],
  held: ['order_held', 'The order is held. Release it by setting held to false.'],
  not_found: [
    'not_found',
    'The order does not cover this asset. Attach it to the order or to one of its products.',
  ],
} as const

/** The error of a call of a backend. */
export function downloadRefused(refusal: DownloadRefusal): ServiceError {
  const [code, message] = REFUSALS[refusal]
  return new ServiceError(code, message)
}
