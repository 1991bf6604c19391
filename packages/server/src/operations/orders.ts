import { createHash } from 'node:crypto'
import { MAX_ORDER_ASSETS, MAX_TOTAL_DAYS } from '@stowage/protocol'
import { openOrderToken, sealOrderToken } from '../crypto/secret-key.ts'
import type {
  ChangedOrder,
  DownloadTotal,
  DownloadTotalsQuery,
  OrderQuery,
  PutOrder,
} from '../database/order-data.ts'
import type { Asset } from '../domain/asset.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import {
  type AssetDownload,
  type Branding,
  type LoggedDownload,
  type NewOrder,
  NO_BRANDING,
  type Order,
  type OrderChange,
} from '../domain/order.ts'
import {
  type Cursor,
  orderCursorText,
  type PagePosition,
  type PageRequest,
} from '../domain/paging.ts'
import { searchWords } from '../domain/search.ts'
import { getAsset } from './assets.ts'
import type { AccountContext, Context } from './context.ts'
import { createOnce, type Idempotency } from './idempotency.ts'
import { readPage } from './listing.ts'
import { announceMail, newMailOf, noEmail, requireMail } from './mailing.ts'

export type OrderRequest = Pick<NewOrder, 'reference' | 'source' | 'assetIds'> &
  OrderChange & {
    /** Whether the buyer is told by e-mail. */
    notify?: boolean
  }

/** Creates an order, or changes the one with this reference. */
export async function putOrder(
  context: AccountContext,
  { notify = false, ...request }: OrderRequest,
  idempotency?: Idempotency,
): Promise<{ order: Order; isNew: boolean; isRepeated: boolean }> {
  const { data, secretKey, accountId, clock } = context
  if (notify) requireMail(context)
  if (notify && !request.email) throw noEmail()
  if (request.lines === undefined && request.assetIds.length === 0) {
    const isKnown =
      request.reference !== null && (await findOrder(context, request.reference)) !== undefined
    if (!isKnown) throw nothingCovered()
  }
  if (request.lines?.length === 0 && request.assetIds.length === 0) throw nothingCovered()
  const id = context.newId()
  const token = tokenOf(secretKey.derive(`order ${id}`))
  const sealedToken = sealOrderToken(secretKey, { id, accountId }, token)
  const tokenHash = hashOrderToken(token)
  const mail =
    notify && request.email
      ? {
          ...newMailOf(context, request.email),
          kind: 'files_ready' as const,
          cause: 'order' as const,
          locale: request.locale ?? null,
        }
      : undefined
  const order: NewOrder = { ...request, id, sealedToken, tokenHash, createdAt: clock(), mail }
  const { result, isRepeated } = await createOnce(
    context,
    { id, idempotency },
    {
      hasSecret: false,
      add: () => data.putOrder(order),
      addOnce: (once) => data.putOrderOnce(once, order),
      toResult: (added: PutOrder) => ({
        order: acceptOrder(added),
        isNew: added.outcome === 'added',
      }),
      async find(orderId) {
        const found = await data.findOrder({ id: orderId, reference: orderId })
        return found && { order: found, isNew: true }
      },
    },
  )
  if (notify) announceMail(context)
  return { ...result, isRepeated }
}

function nothingCovered(): ServiceError {
  return invalid({ lines: ['must name at least one product, unless assets names an asset'] })
}

/** 192 bits. */
const TOKEN_BYTES = 24

function tokenOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, TOKEN_BYTES)).toString('base64url')
}

/** A token is never stored: the database has its SHA-256, and the encrypted token, to show it again. */
export function hashOrderToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The token of the download page; undefined if it was encrypted with another key. */
export function tokenOfOrder(
  { secretKey }: Pick<Context, 'secretKey'>,
  order: Pick<Order, 'accountId' | 'id' | 'sealedToken'>,
): string | undefined {
  return openOrderToken(secretKey, order)
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

async function findOrder({ data }: AccountContext, key: string): Promise<Order | undefined> {
  // No reference has it, and PostgreSQL refuses it.
  if (key.includes('\0')) return undefined
  const id = key.toLowerCase()
  return data.findOrder({ id: UUID.test(id) ? id : null, reference: key })
}

/** By our ID or by the shop’s reference. */
export async function getOrder(context: AccountContext, key: string): Promise<Order> {
  const order = await findOrder(context, key)
  if (order === undefined) throw orderNotFound()
  return order
}

export function orderNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no order with this ID or reference. Check the ID.')
}

export type OrderListRequest = Omit<OrderQuery, 'words' | 'number'> & {
  search?: string | undefined
  number?: string | undefined
}

export async function listOrders(
  { data }: AccountContext,
  { search = '', number, ...rest }: OrderListRequest,
): Promise<{ orders: Order[]; position: PagePosition }> {
  const words = searchWords(search)
  const query = { ...rest, ...(words.length > 0 && { words }), ...(number && { number }) }
  const { rows: orders, position } = await readPage(query, data.listOrders, (order) =>
    orderCursorText(order, query.sort.by),
  )
  return { orders, position }
}

/** The assets that are attached to each of the orders itself. */
export function assetsOfOrders(
  { data }: AccountContext,
  orders: Pick<Order, 'id'>[],
): Promise<Map<string, Asset[]>> {
  return data.assetsOfOrders(orders.map(({ id }) => id))
}

export async function changeOrder(
  context: AccountContext,
  key: string,
  change: OrderChange,
): Promise<Order> {
  const { id } = await getOrder(context, key)
  return acceptOrder(await context.data.changeOrder(id, change))
}

/** Takes effect immediately: the URLs of running downloads end within five minutes. */
export async function revokeOrder(context: AccountContext, key: string): Promise<void> {
  const { id } = await getOrder(context, key)
  if (!(await context.data.revokeOrder(id))) throw orderNotFound()
}

export async function attachToOrder(
  context: AccountContext,
  key: string,
  assetIds: string[],
): Promise<Order> {
  const { id } = await getOrder(context, key)
  const changed = await context.data.attachToOrder(id, assetIds, MAX_ORDER_ASSETS)
  if (changed.outcome === 'too_many') {
    throw invalid({
      assets: [
        `would attach more than ${MAX_ORDER_ASSETS} assets to the order itself; attach them to a product instead`,
      ],
    })
  }
  return acceptOrder(changed)
}

export async function detachFromOrder(
  context: AccountContext,
  key: string,
  assetIds: string[],
): Promise<Order> {
  const { id } = await getOrder(context, key)
  return acceptOrder(await context.data.detachFromOrder(id, assetIds))
}

function acceptOrder(changed: ChangedOrder | PutOrder): Order {
  switch (changed.outcome) {
    case 'added':
    case 'changed':
      return changed.order
    case 'not_found':
      throw orderNotFound()
    case 'over_refunded':
      throw invalid({
        [`lines.${changed.line}.refundedQuantity`]: ['must not be more than the quantity'],
      })
    default: {
      const { lines, assetIds } = changed
      const errors = lines.map((line) => [
        `lines.${line}.productId`,
        ['is not a known product or variant: send it with PUT /products first'],
      ])
      if (assetIds.length > 0) {
        errors.push(['assets', [`contains unknown values: ${assetIds.join(', ')}`]])
      }
      throw invalid(Object.fromEntries(errors))
    }
  }
}

export async function listDownloads(
  context: AccountContext,
  key: string,
  page: PageRequest & { after?: Cursor },
): Promise<{ order: Order; downloads: LoggedDownload[]; position: PagePosition }> {
  const order = await getOrder(context, key)
  const { rows: downloads, position } = await readPage(
    page,
    (query) => context.data.listDownloads(order.id, query),
    ({ id }) => id,
  )
  return { order, downloads, position }
}

/** The newest downloads of an asset by the buyers of all orders. */
export async function listDownloadsOfAsset(
  context: AccountContext,
  assetId: string,
  page: PageRequest & { after?: Cursor },
): Promise<{ downloads: AssetDownload[]; position: PagePosition }> {
  await getAsset(context, assetId)
  const { rows: downloads, position } = await readPage(
    page,
    (query) => context.data.listDownloadsOfAsset(assetId, query),
    ({ id }) => id,
  )
  return { downloads, position }
}

export type { DownloadTotal }

const MAX_TOTALS = 1000

/**
 * The downloads of buyers, counted by day, asset or product. Days are counted since 1970. Assets have their names, unless
 * they were deleted forever.
 */
export async function readDownloadTotals(
  { data }: AccountContext,
  query: Omit<DownloadTotalsQuery, 'limit'>,
): Promise<(DownloadTotal & { filename?: string | undefined })[]> {
  if (query.asset !== undefined && query.by !== 'day') {
    throw invalid({ asset: ['can only be combined with by=day'] })
  }
  if (query.from > query.to) throw invalid({ from: ['must not be after to'] })
  if (query.to - query.from >= MAX_TOTAL_DAYS) {
    throw invalid({ from: [`must be at most ${MAX_TOTAL_DAYS} days before to`] })
  }
  const totals = await data.readDownloadTotals({ ...query, limit: MAX_TOTALS })
  if (query.by !== 'asset') return totals
  const names = await data.namesOfAssets(totals.map(({ subject }) => subject))
  return totals.map((total) => ({ ...total, filename: names.get(total.subject) }))
}

export async function readBranding({ data }: AccountContext): Promise<Branding> {
  return (await data.findBranding()) ?? NO_BRANDING
}

export async function changeBranding(
  { data }: AccountContext,
  change: Partial<Branding>,
): Promise<Branding> {
  if (change.logo) {
    const asset = await data.findAsset(change.logo)
    const isImage =
      asset?.kind === 'file' && asset.status === 'ready' && /^image\//i.test(asset.mime)
    if (!isImage) throw invalid({ logo: ['must be the ID of an image that is stored here'] })
  }
  return data.changeBranding(change)
}
