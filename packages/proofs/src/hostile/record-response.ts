import { ERRORS, type UploadSession } from '@stowage/protocol'
import { someBytes } from '@stowage/testing/service/upload'
import { jsonOf, valuesOf, type WireResponse } from './exchange.ts'
import type { Pool } from './generator-context.ts'
import type { HostileRequest } from './request.ts'
import { tokenOf } from './target.ts'

/** The assets that the account must have at the end according to the responses, and statistics. */
export interface ResponseLog {
  ready: Set<string>
  deleted: Set<string>
  /** Assets that a call restored, perhaps before another call deleted them. */
  restored: Set<string>
  /** The number of responses with each status. */
  statuses: Record<number, number>
  codes: Set<string>
  /** How many requests of each operation were sent, and how many of them succeeded. */
  operations: Map<string, { sent: number; accepted: number }>
}

export function emptyResponseLog(): ResponseLog {
  return {
    ready: new Set(),
    deleted: new Set(),
    restored: new Set(),
    statuses: {},
    codes: new Set(),
    operations: new Map(),
  }
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i
const MAX_FILE_SIZE = 100_000

/** Records the resources in the response, for later requests and for the check at the end. */
export function recordResponse(
  pool: Pool,
  log: ResponseLog,
  request: HostileRequest,
  response: WireResponse,
): void {
  const { status } = response
  log.statuses[status] = (log.statuses[status] ?? 0) + 1
  recordOperation(log, request.operation, status)
  const body = jsonOf(response)
  if (typeof body?.code === 'string' && Object.hasOwn(ERRORS, body.code)) log.codes.add(body.code)
  const [location = ''] = valuesOf(response.headers, 'location')
  const [, fileToken] = /\/d\/file\/([\w-]+)$/.exec(location) ?? []
  if (fileToken !== undefined) recordOnce(pool.fileTokens, fileToken)
  if (request.kind !== 'framed' || status >= 300) return
  const isResize = request.method === 'PATCH' && request.target.includes('/upload')
  if (isResize) recordResize(pool, request.target)
  else if (request.port === 'storage') recordPart(pool, request.target, response)
  else if (request.method !== 'HEAD') recordResource(pool, log, request.target, body)
}

function recordOperation({ operations }: ResponseLog, name: string | undefined, status: number) {
  if (name === undefined) return
  const { sent, accepted } = operations.get(name) ?? { sent: 0, accepted: 0 }
  operations.set(name, { sent: sent + 1, accepted: accepted + (status < 400 ? 1 : 0) })
}

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
function recordResource(pool: Pool, log: ResponseLog, target: string, body: any): void {
  const id = UUID.exec(safelyDecoded(target))?.[0].toLowerCase()
  const { data } = body ?? {}
  const isRemoved = body?.deleted === true || body?.revoked === true || data?.status === 'cancelled'
  const path = safelyDecoded(target)
  const isOfVersion = path.includes('/versions/')
  if (body?.deleted === true && id !== undefined && !isOfVersion) log.deleted.add(id)
  if (isRemoved && id !== undefined && !isOfVersion) forget(pool, id)
  if (path.includes('/restore') && id !== undefined && !isOfVersion) log.restored.add(id)
  // A replacement is cancelled at the end. Its parts are not sent, so that the content of its asset stays known.
  const isReplacement = id !== undefined && path.includes('/signed')
  if (body?.urls !== undefined && body.id !== undefined && !isReplacement) recordSession(pool, body)
  if (Array.isArray(data) && data[0]?.variant_id !== undefined) {
    for (const product of data)
      if (!pool.products.includes(product.id)) pool.products.push(product.id)
  }
  if (typeof body?.token === 'string') recordOnce(pool.uploadTokens, body.id)
  if (data?.secret?.startsWith('whsec_')) recordOnce(pool.webhooks, data.id)
  else if (data?.secret !== undefined) pool.keys.push({ id: data.id, secret: data.secret })
  if (Array.isArray(data?.lines)) {
    recordOnce(pool.orders, data.id)
    recordOnce(pool.orderTokens, tokenOf(data.url))
  }
  if (Array.isArray(data?.attempts)) recordOnce(pool.deliveries, data.id)
  if (data?.status === 'ready' && data.filename !== undefined && !log.ready.has(data.id)) {
    log.ready.add(data.id)
    pool.assets.push(data.id)
  }
  const upload = pool.uploads.find(({ session }) => session.id === id)
  if (data?.expires_at && data.url && upload)
    pool.downloads.push({ url: data.url, file: upload.bytes })
}

function recordOnce(ids: string[], id: string): void {
  if (!ids.includes(id)) ids.push(id)
}

/** The content of an upload whose size was changed is no longer known. */
function recordResize(pool: Pool, target: string): void {
  const id = UUID.exec(safelyDecoded(target))?.[0].toLowerCase()
  if (id !== undefined) forget(pool, id)
}

/** Later requests no longer use this asset, product or webhook, so that most requests are about existing resources. */
function forget(pool: Pool, id: string): void {
  pool.uploads = pool.uploads.filter(({ session }) => session.id !== id)
  pool.assets = pool.assets.filter((one) => one !== id)
  pool.products = pool.products.filter((one) => one !== id)
  pool.webhooks = pool.webhooks.filter((one) => one !== id)
  pool.keys = pool.keys.filter((one) => one.id !== id)
  pool.uploadTokens = pool.uploadTokens.filter((one) => one !== id)
}

function recordSession(pool: Pool, session: UploadSession): void {
  const size = session.urls.at(-1)?.end ?? 0
  const isKnown = pool.uploads.some((one) => one.session.id === session.id)
  if (isKnown || session.urls.length === 0) return
  const bytes = someBytes(Math.min(size, MAX_FILE_SIZE), pool.uploads.length + 1)
  pool.uploads.push({ session, bytes, etags: new Map() })
}

function recordPart(pool: Pool, target: string, { headers }: WireResponse): void {
  const [, key, number] = /^\/uploads\/([^/]+)\/[^/]+\/(\d+)\?/.exec(target) ?? []
  const [etag] = valuesOf(headers, 'etag')
  if (key === undefined || etag === undefined) return
  const upload = pool.uploads.findLast(({ session }) => session.id === key)
  upload?.etags.set(Number(number), etag.replaceAll('"', ''))
}

function safelyDecoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}
