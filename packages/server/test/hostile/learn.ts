import { ERRORS, type UploadSession } from '@stowage/protocol'
import { someBytes } from '@stowage/testing/service/upload'
import { valuesOf, type WireAnswer } from './answers.ts'
import type { Pool } from './pool.ts'
import type { HostileRequest } from './request.ts'

/** What the account must hold in the end, by what was answered. */
export interface Ledger {
  ready: Set<string>
  deleted: Set<string>
  /** How often each status was answered. */
  statuses: Record<number, number>
  codes: Set<string>
}

export function emptyLedger(): Ledger {
  return { ready: new Set(), deleted: new Set(), statuses: {}, codes: new Set() }
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i
const LARGEST_FILE = 100_000

/** Remembers what the answer tells of, for later requests and for the check at the end. */
export function learn(
  pool: Pool,
  ledger: Ledger,
  request: HostileRequest,
  answer: WireAnswer,
): void {
  const { status } = answer
  ledger.statuses[status] = (ledger.statuses[status] ?? 0) + 1
  const body = parse(answer.body)
  if (typeof body?.code === 'string' && Object.hasOwn(ERRORS, body.code))
    ledger.codes.add(body.code)
  if (request.kind !== 'framed' || status >= 300) return
  if (request.method === 'PATCH') learnResize(pool, request.target)
  else if (request.port === 'storage') learnPart(pool, request.target, answer)
  else if (request.method !== 'HEAD') learnThing(pool, ledger, request.target, body)
}

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
function learnThing(pool: Pool, ledger: Ledger, target: string, body: any): void {
  const id = UUID.exec(safelyDecoded(target))?.[0].toLowerCase()
  const { data } = body ?? {}
  const isGone = body?.deleted === true || body?.revoked === true || data?.status === 'cancelled'
  if (body?.deleted === true && id !== undefined) ledger.deleted.add(id)
  if (isGone && id !== undefined) forget(pool, id)
  if (body?.urls !== undefined && body.id !== undefined) learnSession(pool, body)
  if (Array.isArray(data) && data[0]?.variant_id !== undefined) {
    for (const product of data)
      if (!pool.products.includes(product.id)) pool.products.push(product.id)
  }
  if (data?.secret !== undefined) pool.keys.push({ id: data.id, secret: data.secret })
  if (data?.status === 'ready' && data.filename !== undefined && !ledger.ready.has(data.id)) {
    ledger.ready.add(data.id)
    pool.assets.push(data.id)
  }
  const upload = pool.uploads.find(({ session }) => session.id === id)
  if (data?.expires_at && data.url && upload)
    pool.downloads.push({ url: data.url, file: upload.bytes })
}

function learnResize(pool: Pool, target: string): void {
  const id = UUID.exec(safelyDecoded(target))?.[0].toLowerCase()
  if (id === undefined) return
  forget(pool, id)
  pool.resized.push(id)
}

/** Most requests are about things that exist; those under way at the same time still meet this one. */
function forget(pool: Pool, id: string): void {
  pool.uploads = pool.uploads.filter(({ session }) => session.id !== id)
  pool.assets = pool.assets.filter((one) => one !== id)
  pool.products = pool.products.filter((one) => one !== id)
}

function learnSession(pool: Pool, session: UploadSession): void {
  const size = session.urls.at(-1)?.end ?? 0
  const isKnown = pool.uploads.some((one) => one.session.id === session.id)
  if (isKnown || session.urls.length === 0) return
  const bytes = someBytes(Math.min(size, LARGEST_FILE), pool.uploads.length + 1)
  pool.uploads.push({ session, bytes, etags: new Map() })
}

function learnPart(pool: Pool, target: string, { headers }: WireAnswer): void {
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

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
function parse(body: Buffer): any {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
