import { Readable } from 'node:stream'
import { endpoints } from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import { etagOfKey, hasFirstByte, startsAtFirstByte } from '../../node-http/byte-ranges.ts'
import {
  type BuyersFile,
  type BuyersOrder,
  continueDownload,
  type DownloadRefusal,
  type FileViews,
  findBuyersOrder,
  listBuyersFiles,
  requestMore,
  signLogo,
  signView,
  startDownload,
  viewsOf,
} from '../../operations/buyers.ts'
import type { SignedFile } from '../../operations/downloads.ts'
import { orderNotFound, tokenOfOrder } from '../../operations/orders.ts'
import { presentOrderProduct } from '../../wire/orders.ts'
import { presentAsset } from '../../wire/resources.ts'
import { networkOf } from '../client-address.ts'
import { openAddressLimit } from '../failed-authentications.ts'
import { moreButton, renderResult } from '../pages/download/forms.ts'
import {
  type BuyersPage,
  type PageFrame,
  type RefusalDetails,
  renderFiles,
  renderRefusal,
  textsFor,
} from '../pages/download/page.ts'
import type { RefusalName } from '../pages/download/texts.ts'
import { logRequest } from '../responses/log-request.ts'
import { createSendingSlots, describeFile, sendFile } from '../responses/sent-file.ts'
import { type RouteGroup, route } from '../route.ts'

/** An address may open this many unknown pages at once, and then one a second. */
const UNKNOWN = { burst: 60, refillMs: 1_000 }
/** Of the file at the URL of a link. */
const UNKNOWN_SIZE = Number.MAX_SAFE_INTEGER
/** Pages of others may send fields with a button. They are ignored. */
const BUTTON = { config: { form: 'ignored' as const, isBodyOptional: true }, bodyLimit: 4_000 }
/** An address may start this many downloads at once, and then two a second. */
const STARTS = { burst: 300, refillMs: 500 }

/** The download pages of buyers. They need no key: the token in the URL is the permission. */
export const buyerRoutes: RouteGroup = (app, options) => {
  const { context, baseUrl } = options
  const clock = () => context.clock()
  const unknownTokens = openAddressLimit(clock, UNKNOWN)
  const starts = openAddressLimit(clock, STARTS)
  const isSent = context.settings.deliver === 'proxy'
  const slots = createSendingSlots()
  const storageOrigin = new URL(context.storage.url).origin

  const frameOf = (request: FastifyRequest, token?: string, buyer?: BuyersOrder): PageFrame => ({
    acceptLanguage: request.headers['accept-language'],
    storageOrigin,
    ...(buyer && { buyer: { token: token ?? '', order: buyer.order, branding: buyer.branding } }),
  })

  function refuse(
    reply: FastifyReply,
    name: RefusalName,
    { frame, ...details }: { frame: PageFrame } & RefusalDetails,
  ): FastifyReply {
    return sendPage(reply.code(STATUS[name]), renderRefusal(frame, name, details))
  }

  /** Finds the order of the token in the path; otherwise responds, and returns undefined. */
  async function findOrder(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ token: string; buyer: BuyersOrder } | undefined> {
    const { token } = request.params as { token: string }
    const buyer = await findBuyersOrder(context, token)
    if (buyer !== undefined) return { token, buyer }
    refuseUnknown(request, reply)
    return undefined
  }

  function refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const seconds = unknownTokens.exceed(request.clientAddress)
    if (seconds !== undefined) reply.header('Retry-After', seconds)
    const name = seconds === undefined ? 'unknown' : 'busy'
    return refuse(reply, name, { frame: frameOf(request) })
  }

  app.get<{ Querystring: { from?: string } }>('/d/:token', async (request, reply) => {
    const found = await findOrder(request, reply)
    if (found === undefined) return reply
    const { token, buyer } = found
    const frame = frameOf(request, token, buyer)
    const { status } = buyer.order
    if (status !== 'active') return refuse(reply, status, { frame })
    const from = Number(request.query.from)
    const files = await listBuyersFiles(buyer)
    const options = { from: Number.isSafeInteger(from) ? from : 0, moreLabel: moreButton(frame) }
    return sendPage(reply, renderFiles(frame, files, options))
  })

  /** Starts a download for the buyer, and leads to its URL. */
  async function start(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const found = await findOrder(request, reply)
    if (found === undefined) return reply
    const { token, buyer } = found
    const frame = frameOf(request, token, buyer)
    const seconds = starts.exceed(request.clientAddress)
    if (seconds !== undefined) {
      return refuse(reply.header('Retry-After', seconds), 'busy', { frame, canReturn: true })
    }
    const assetId = (request.params as { asset: string }).asset.toLowerCase()
    const { status } = buyer.order
    if (status !== 'active') return refuse(reply, status, { frame })
    if (!UUID.test(assetId)) return refuse(reply, 'unknown', { frame, canReturn: true })
    const file = { orderId: buyer.order.id, assetId }
    const network = networkOf(request.clientAddress)
    const started = await orRefusal(() => startDownload(buyer.context, file, network))
    if (started.outcome !== 'open') {
      const filename = 'filename' in started ? started.filename : undefined
      const isReached = started.outcome === 'limit_reached'
      const more = isReached ? { asset: assetId, label: moreButton(frame) } : undefined
      return refuse(reply, nameOf(started.outcome), { frame, canReturn: true, filename, more })
    }
    return reply.headers(PRIVATE).redirect(`${baseUrl()}/d/file/${started.fileToken}`, 303)
  }

  app.post('/d/:token/:asset', BUTTON, start)

  app.post<{ Params: { asset: string } }>(
    '/d/:token/:asset/more',
    BUTTON,
    async (request, reply) => {
      const found = await findOrder(request, reply)
      if (found === undefined) return reply
      const { token, buyer } = found
      const frame = frameOf(request, token, buyer)
      const seconds = starts.exceed(request.clientAddress)
      if (seconds !== undefined) {
        return refuse(reply.header('Retry-After', seconds), 'busy', { frame, canReturn: true })
      }
      const { status } = buyer.order
      if (status !== 'active') return refuse(reply, status, { frame })
      const assetId = request.params.asset.toLowerCase()
      const isCovered = UUID.test(assetId) && (await requestMore(buyer, assetId))
      if (!isCovered) return refuse(reply, 'unknown', { frame, canReturn: true })
      return sendPage(reply, renderResult(frame, 'more'))
    },
  )

  // The page that refuses a button has its URL. A buyer who opens it again returns to the order.
  for (const path of ['/d/:token/:asset', '/d/:token/:asset/more']) {
    app.get<{ Params: { token: string } }>(path, async ({ params }, reply) => {
      const page = `${baseUrl()}/d/${encodeURIComponent(params.token)}`
      return reply.headers(PRIVATE).redirect(page, 303)
    })
  }

  // For pages of others, which cannot send a form. A browser that only looks ahead starts nothing.
  app.get('/d/:token/start/:asset', async (request, reply) => {
    if (request.method === 'HEAD') return reply.headers(PRIVATE).code(204).send()
    if (isPrefetch(request)) return refuse(reply, 'busy', { frame: frameOf(request) })
    return start(request, reply)
  })

  /** Sends the file, so that browsers resume it at the URL of the service. */
  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { file, isAllowed }: { file: SignedFile; isAllowed(): Promise<boolean> },
  ): Promise<FastifyReply> {
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    try {
      await sendFile({ context, file, isAllowed }, request.raw, reply.raw)
    } catch (error) {
      if (error instanceof ServiceError) throw error
      request.log.warn({ err: error }, 'a file could not be sent')
      context.noticeOutage(error)
      if (!reply.raw.headersSent) {
        reply.raw.removeHeader('ETag')
        return refuse(reply, 'unavailable', { frame: frameOf(request) })
      }
      // The client notices that the response is incomplete, and resumes it.
      request.raw.socket.destroy()
    }
    reply.hijack()
    // Fastify does not report the end of a hijacked response.
    logRequest(reply, 'request completed')
    return reply
  }

  app.get<{ Params: { token: string } }>('/d/file/:token', async (request, reply) => {
    if (isPrefetch(request)) return refuse(reply, 'busy', { frame: frameOf(request) })
    const isHead = request.method === 'HEAD'
    const { headers } = request
    const isStart = (file: SignedFile | undefined) => {
      if (isHead) return false
      if (file === undefined) return startsAtFirstByte(headers.range, UNKNOWN_SIZE)
      const etag = isSent ? etagOfKey(file.key) : file.etag
      // S3 chooses its ETags: without them, conditions cannot be compared before the redirect.
      if (etag === undefined) return startsAtFirstByte(headers.range, file.bytes)
      return hasFirstByte(headers, { size: file.bytes, etag })
    }
    const opened = await orRefusal(() => continueDownload(context, request.params.token, isStart))
    if (opened === undefined) return refuseUnknown(request, reply)
    if (opened.outcome === 'open') {
      const { url, file } = opened
      reply.headers(PRIVATE)
      // A URL that is signed for GET is no use for HEAD.
      if (isHead && file !== undefined) {
        if (isSent) reply.header('ETag', etagOfKey(file.key))
        // For any other body, Fastify sets the length of that body.
        return reply.headers(describeFile(file)).send(Readable.from([]))
      }
      const release = isSent && file !== undefined ? slots.take(request.params.token) : undefined
      if (release === undefined || file === undefined) return reply.redirect(url, 302)
      return send(request, reply, { ...opened, file }).finally(release)
    }
    if (!('buyer' in opened)) {
      return refuse(reply, nameOf(opened.outcome), { frame: frameOf(request) })
    }
    const { buyer, outcome } = opened
    const token = tokenOfOrder(context, buyer.order)
    const frame = frameOf(request, token, buyer)
    // The order is not over, but the 24 hours of the download are, or the file is no longer in the order.
    const isEnded = buyer.order.status === 'active' && outcome !== 'limit_reached'
    const name = isEnded ? 'ended' : nameOf(outcome)
    return refuse(reply, name, { frame, canReturn: token !== undefined })
  })

  app.get<{ Params: { token: string; asset: string } }>(
    '/d/:token/view/:asset',
    async (request, reply) => {
      const found = await findOrder(request, reply)
      if (found === undefined) return reply
      const { token, buyer } = found
      if (!UUID.test(request.params.asset.toLowerCase()))
        return refuse(reply, 'unknown', { frame: frameOf(request, token, buyer), canReturn: true })
      const url = await orRefusal(() => signView(buyer, request.params.asset.toLowerCase()))
      if (typeof url === 'string') return reply.headers(PRIVATE).redirect(url, 302)
      const name = url === undefined ? 'unknown' : nameOf(url.outcome)
      return refuse(reply, name, { frame: frameOf(request, token, buyer), canReturn: true })
    },
  )

  app.get('/d/:token/logo', async (request, reply) => {
    const found = await findOrder(request, reply)
    if (found === undefined) return reply
    const url = await orRefusal(() => signLogo(found.buyer))
    if (typeof url === 'string') return reply.headers(PRIVATE).redirect(url, 302)
    return refuse(reply, 'unknown', { frame: frameOf(request, found.token, found.buyer) })
  })

  route(
    app,
    options,
    endpoints.readCustomerOrder,
    async ({ query, clientAddress, language }, reply) => {
      const buyer = await findBuyersOrder(context, query.id)
      reply.headers(PRIVATE)
      if (buyer === undefined) {
        const seconds = unknownTokens.exceed(clientAddress)
        if (seconds === undefined) throw orderNotFound()
        reply.header('Retry-After', seconds)
        throw new ServiceError(
          'too_many_requests',
          `Too many requests with unknown tokens came from this address. Retry in ${seconds} s.`,
        )
      }
      const { order } = buyer
      const files = order.status === 'active' ? await listBuyersFiles(buyer) : []
      const present = (file: BuyersFile) => ({
        limits: { downloaded: file.used, limit: file.limit },
        view_url: isViewable(viewsOf(order, file))
          ? `${baseUrl()}/d/${query.id}/view/${file.asset.id}`
          : null,
        data: {
          ...presentAsset(file.asset),
          url: `${baseUrl()}/d/${query.id}/start/${file.asset.id}`,
        },
      })
      return {
        order: {
          order_number: order.number,
          status: order.status,
          expires_at: order.expiresAt && formatTimestamp(order.expiresAt),
          lines: order.lines.map(({ product }, index) => ({
            product: product && presentOrderProduct(product),
            assets: files.filter(({ line }) => line === index).map(present),
          })),
          assets: files.filter(({ line }) => line === undefined).map(present),
        },
        text: textsFor(language, order.locale),
      }
    },
  )
}

function isViewable({ view, hasPreview }: FileViews): boolean {
  return view !== undefined || hasPreview
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

const STATUS: Record<RefusalName, number> = {
  limit_reached: 409,
  held: 409,
  expired: 410,
  revoked: 410,
  ended: 410,
  unknown: 404,
  unavailable: 503,
  busy: 429,
}

function nameOf(refusal: DownloadRefusal | 'unavailable'): RefusalName {
  return refusal === 'not_found' ? 'unknown' : refusal
}

/** No cache and no other site learns the URL, which is the permission. */
const PRIVATE = {
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
}

export function sendPage(reply: FastifyReply, { markup, policy }: BuyersPage): FastifyReply {
  return reply
    .headers({
      ...PRIVATE,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
      Vary: 'Accept-Language',
    })
    .serializer(String)
    .send(markup)
}

/** Whether a browser or a mail scanner only looks ahead. */
function isPrefetch({ headers }: FastifyRequest): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? ''
  return /prefetch|prerender|preview/i.test(String(purpose))
}

/** A file that was deleted, is damaged or is still compared is refused by a page for the buyer. */
async function orRefusal<Result>(
  work: () => Promise<Result>,
): Promise<Result | { outcome: 'unavailable' } | { outcome: 'not_found' }> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { outcome: error.code === 'not_found' ? 'not_found' : 'unavailable' }
  }
}
