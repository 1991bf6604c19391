import { type GeneratorContext, pickRecent, UNKNOWN_ID } from './generator-context.ts'
import { hostileTarget } from './make-api-request.ts'
import type { FramedRequest } from './request.ts'
import { HEADER_TEXTS, TEXTS } from './values.ts'

const UNKNOWN_TOKEN = 'x'.repeat(32)
const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'] as const
const QUERIES = [
  '',
  '',
  '',
  '?from=1',
  '?from=-1',
  '?from=x',
  '?from=1e309',
  '?from=1&from=2',
] as const
const RANGES = ['bytes=0-', 'bytes=1-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,1-1', 'x'] as const

/** A request to the download page of a buyer, or to one of its files: these are not in the OpenAPI document. */
export function makePageRequest(context: GeneratorContext): FramedRequest {
  const { random, pool, hosts, orders } = context
  const order = orders[random.between(0, orders.length)]
  const hostile = () => encodeURIComponent(random.pick(TEXTS).toWellFormed())
  const known = order?.token ?? UNKNOWN_TOKEN
  const recent = pickRecent(random, pool.orderTokens) ?? UNKNOWN_TOKEN
  const token = random.pick([known, known, known, recent, UNKNOWN_TOKEN, hostile()])
  const sold = order?.assetId ?? UNKNOWN_ID
  const other = pickRecent(random, pool.assets) ?? UNKNOWN_ID
  const asset = random.pick([sold, sold, sold, other, sold.toUpperCase(), hostile()])
  const file = pickRecent(random, pool.fileTokens) ?? UNKNOWN_TOKEN
  const path = random.pick([
    `/d/${token}`,
    `/d/${token}/${asset}`,
    `/d/${token}/start/${asset}`,
    `/d/${token}/view/${asset}`,
    `/d/${token}/logo`,
    `/d/file/${file}`,
    `/d/file/${file.slice(1)}A`,
  ])
  const isHostileTarget = random.between(0, 10) === 0
  const target = isHostileTarget
    ? hostileTarget(random, path, hosts.api)
    : path + random.pick(QUERIES)
  const headers: [string, string][] = [['Host', hosts.api]]
  if (random.between(0, 3) === 0) headers.push(['Range', random.pick(RANGES)])
  if (random.between(0, 4) === 0) headers.push(['Accept-Language', random.pick(HEADER_TEXTS)])
  if (random.between(0, 8) === 0) headers.push(['Sec-Purpose', 'prefetch'])
  if (random.between(0, 8) === 0) headers.push(['X-Forwarded-For', '127.0.0.1'])
  const body = Buffer.from(random.pick(['', '', '', 'a=b', '{', '\0'.repeat(3_000)]))
  if (body.length > 0) {
    const type = random.pick([
      'application/x-www-form-urlencoded',
      'application/json',
      'text/plain',
    ])
    headers.push(['Content-Type', type], ['Content-Length', String(body.length)])
  }
  return {
    kind: 'framed',
    port: 'api',
    method: random.pick(METHODS),
    target,
    headers,
    body,
    // A changed target may lead to the dashboard.
    isPage: !['*', '/', '//'].includes(target),
  }
}
