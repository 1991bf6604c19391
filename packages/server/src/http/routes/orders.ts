import type * as wire from '@stowage/protocol'
import { endpoints } from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import { invalid } from '../../domain/errors.ts'
import { includesScope, type KeyScope } from '../../domain/key.ts'
import type { Branding, Order, OrderChange } from '../../domain/order.ts'
import type { OrderSortKey } from '../../domain/paging.ts'
import { downloadRefused, listOrderFiles, startDownload } from '../../operations/buyers.ts'
import type { AccountContext } from '../../operations/context.ts'
import { sendOrder } from '../../operations/mails.ts'
import {
  assetsOfOrders,
  attachToOrder,
  changeBranding,
  changeOrder,
  type DownloadTotal,
  detachFromOrder,
  getOrder,
  listDownloads,
  listDownloadsOfAsset,
  listOrders,
  putOrder,
  readBranding,
  readDownloadTotals,
  revokeOrder,
  tokenOfOrder,
} from '../../operations/orders.ts'
import {
  presentAssetDownload,
  presentBranding,
  presentLoggedDownload,
  presentOrder,
} from '../../wire/orders.ts'
import { presentAsset } from '../../wire/resources.ts'
import { readIdempotency, readPageRequest, readSort, readTime } from '../requests.ts'
import { presentPage } from '../responses/page.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'

export const orderRoutes: RouteGroup = (app, options) => {
  const pageUrl = (order: Order) => {
    const token = tokenOfOrder(options.context, order)
    return token === undefined ? null : `${options.baseUrl()}/d/${token}`
  }
  // Whoever has the URL acts as the buyer, also after the key is revoked. A key that only reads must not.
  const urlFor = (scope: KeyScope) => (includesScope(scope, 'write') ? pageUrl : () => null)
  const requestOf = (url: string, { query }: { query: { properties: object } }) => ({
    base: options.baseUrl(),
    url,
    query,
  })
  const withAssets = async (context: AccountContext, order: Order, url = pageUrl(order)) => {
    const assets = await assetsOfOrders(context, [order])
    return presentOrder(order, url, assets.get(order.id) ?? [])
  }

  route(app, options, endpoints.createOrder, async (request, reply) => {
    const { context, caller, body } = request
    const { reference = null, assets = [] } = body
    const details = {
      ...readChange(body),
      reference,
      assetIds: distinct(assets),
      notify: body.notify === true,
      source: caller.session === undefined ? ('api' as const) : ('manual' as const),
      ...(body.ordered_at !== undefined && { orderedAt: readTime(body.ordered_at) }),
    }
    const idempotency = readIdempotency(endpoints.createOrder, request)
    const { order, isNew, isRepeated } = await putOrder(context, details, idempotency)
    if (isNew) nameCreated(reply, options, { path: `/orders/${order.id}`, isRepeated })
    else reply.code(200)
    return { data: presentOrder(order, pageUrl(order)) }
  })

  route(app, options, endpoints.listOrders, async ({ context, query, scope, url }) => {
    const { order_number: number, product_id: productId, status, source, asset } = query
    const sort = readSort<OrderSortKey>(query.sort ?? '-created_at')
    const { orders, position } = await listOrders(context, {
      ...readPageRequest(query, sort.by),
      sort,
      search: query.search,
      number,
      ...(status !== undefined && { status }),
      ...(source !== undefined && { source }),
      ...(asset !== undefined && { asset }),
      ...(productId !== undefined && { productId }),
      ...(query.exact_total === true && { exactTotal: true }),
    })
    const assets = query.with_assets === true ? await assetsOfOrders(context, orders) : undefined
    const urlOf = urlFor(scope)
    return {
      data: orders.map((order) =>
        presentOrder(order, urlOf(order), assets && (assets.get(order.id) ?? [])),
      ),
      ...presentPage(position, requestOf(url, endpoints.listOrders)),
    }
  })

  route(app, options, endpoints.readOrder, async ({ context, params, query, scope }) => {
    const order = await getOrder(context, params.id)
    const pageOfOrder = urlFor(scope)(order)
    if (query.with_assets === true) return { data: await withAssets(context, order, pageOfOrder) }
    return { data: presentOrder(order, pageOfOrder) }
  })

  route(app, options, endpoints.listOrderFiles, async ({ context, params }) => {
    const files = await listOrderFiles(context, params.id)
    return {
      data: files.map(({ asset, line = null, used, limit, isOpen, openUntil }) => ({
        asset: presentAsset(asset),
        line,
        downloaded: used,
        limit,
        open_until: isOpen && openUntil ? formatTimestamp(openUntil) : null,
      })),
    }
  })

  route(app, options, endpoints.changeOrder, async ({ context, params, body }) => {
    const order = await changeOrder(context, params.id, readChange(body))
    return { data: presentOrder(order, pageUrl(order)) }
  })

  route(app, options, endpoints.revokeOrder, async ({ context, params }) => {
    await revokeOrder(context, params.id)
    return { revoked: true }
  })

  route(app, options, endpoints.attachToOrder, async ({ context, params, body }, reply) => {
    const ids = readAssetIds(body)
    const order = await attachToOrder(context, params.id, ids)
    nameCreated(reply, options, { path: `/orders/${order.id}` })
    return { attached: true, asset_ids: ids, data: await withAssets(context, order) }
  })

  route(app, options, endpoints.detachFromOrder, async ({ context, params, body }) => {
    const ids = readAssetIds(body)
    const order = await detachFromOrder(context, params.id, ids)
    return { detached: true, asset_ids: ids, data: await withAssets(context, order) }
  })

  for (const endpoint of [endpoints.sendOrder, endpoints.emailOrder]) {
    route(app, options, endpoint, async ({ context, params }) => {
      const order = await sendOrder(context, params.id)
      return { data: presentOrder(order, pageUrl(order)) }
    })
  }

  route(app, options, endpoints.createDownload, async ({ context, params, body }) => {
    const { id: orderId } = await getOrder(context, params.id)
    const request = { orderId, assetId: body.asset.toLowerCase() }
    const started = await startDownload(context, request)
    if (started.outcome !== 'open') throw downloadRefused(started.outcome)
    const { fileToken, openUntil } = started
    return {
      url: `${options.baseUrl()}/d/file/${fileToken}`,
      expires_at: formatTimestamp(openUntil),
    }
  })

  route(app, options, endpoints.listDownloads, async ({ context, params, query, url }) => {
    const page = readPageRequest(query, 'created_at')
    const { downloads, position } = await listDownloads(context, params.id, page)
    return {
      data: downloads.map(presentLoggedDownload),
      ...presentPage(position, requestOf(url, endpoints.listDownloads)),
    }
  })

  route(app, options, endpoints.listAssetDownloads, async ({ context, params, query, url }) => {
    const page = readPageRequest(query, 'created_at')
    const { downloads, position } = await listDownloadsOfAsset(context, params.id, page)
    return {
      data: downloads.map(presentAssetDownload),
      ...presentPage(position, requestOf(url, endpoints.listAssetDownloads)),
    }
  })

  route(app, options, endpoints.readDownloadTotals, async ({ context, query }) => {
    const { by = 'day' } = query
    const to = dayOf(query.to === undefined ? context.clock() : readTime(query.to))
    const from = query.from === undefined ? to - 30 : dayOf(readTime(query.from))
    const asset = query.asset && { asset: query.asset.toLowerCase() }
    const totals = await readDownloadTotals(context, { by, from, to, ...asset })
    return {
      data: totals.map((total) => presentTotal(total, by)),
      meta: { from: dayText(from), to: dayText(to), by },
    }
  })

  route(app, options, endpoints.readBranding, async ({ context }) => {
    return { data: presentBranding(await readBranding(context)) }
  })

  route(app, options, endpoints.changeBranding, async ({ context, body }) => {
    return { data: presentBranding(await changeBranding(context, readBrandingRequest(body))) }
  })
}

const DAY_MS = 86_400_000

function dayOf(date: Date): number {
  return Math.floor(date.getTime() / DAY_MS)
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

function presentTotal(
  { subject, downloads, filename = null }: DownloadTotal & { filename?: string | null | undefined },
  by: 'day' | 'asset' | 'product',
) {
  if (by === 'day') return { day: subject, downloads }
  return by === 'asset'
    ? { asset_id: subject, filename, downloads }
    : { product_id: Number(subject), downloads }
}

/** The fields that are given. The schema has checked them. */
function readChange(body: wire.OrderChanges): OrderChange {
  const { order_number, email, name, locale, label, lines, max_downloads, expires_at } = body
  const { held, inline } = body
  return {
    ...(order_number !== undefined && { number: order_number }),
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(locale !== undefined && { locale }),
    ...(label !== undefined && { label }),
    ...(lines !== undefined && {
      lines: lines.map(({ product_id, variant_id = null, quantity = 1, refunded_quantity }) => ({
        productId: product_id,
        variantId: variant_id,
        quantity,
        ...(refunded_quantity !== undefined && { refunded: refunded_quantity }),
      })),
    }),
    ...(max_downloads !== undefined && { maxDownloads: max_downloads }),
    ...(expires_at !== undefined && {
      expiresAt: expires_at === null ? null : readTime(expires_at),
    }),
    ...(held !== undefined && { isHeld: held }),
    ...(inline !== undefined && { isInline: inline }),
  }
}

/** Both generations of the Fileflare calls. */
function readAssetIds({ assets, asset_ids: assetIds }: wire.OrderAssetsRequest): string[] {
  const ids = [...(assets ?? []), ...(assetIds ?? [])]
  if (ids.length === 0) throw invalid({ assets: ['must name at least one asset'] })
  return distinct(ids)
}

function distinct(ids: string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}

function readBrandingRequest(body: wire.BrandingRequest): Partial<Branding> {
  const { name, logo, color, help_text, help_email, max_downloads } = body
  return {
    ...(name !== undefined && { name }),
    ...(logo !== undefined && { logo: logo?.toLowerCase() ?? null }),
    ...(color !== undefined && { color: color?.toLowerCase() ?? null }),
    ...(help_text !== undefined && { helpText: help_text }),
    ...(help_email !== undefined && { helpEmail: help_email }),
    ...(max_downloads !== undefined && { maxDownloads: max_downloads }),
  }
}
