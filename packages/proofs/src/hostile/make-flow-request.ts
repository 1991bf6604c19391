import { type GeneratorContext, pickRecent } from './generator-context.ts'
import { MAX_FILE_SIZE } from './make-api-request.ts'
import type { FramedRequest } from './request.ts'

/** The number of uploads that are available to hostile requests. */
const UPLOADS = 12

/** The valid next step of an upload, so that hostile requests find parts, files and downloads. */
export function makeFlowRequest(context: GeneratorContext): FramedRequest | undefined {
  const { random, pool, hosts, partsInFlight } = context
  const upload = pickRecent(random, pool.uploads)
  if (upload === undefined || random.between(0, UPLOADS) >= pool.uploads.length) {
    const file = { name: 'flow.bin', size: random.between(0, MAX_FILE_SIZE), mime: 'text/plain' }
    return call(context, 'POST', '/assets/signed', JSON.stringify(file))
  }
  const { session, etags, bytes } = upload
  const missing = session.urls.find(({ part }) => !etags.has(part))
  if (missing !== undefined) {
    const { url, start, end } = missing
    if (partsInFlight.has(url)) return undefined
    partsInFlight.add(url)
    const target = url.slice(new URL(url).origin.length)
    const headers: [string, string][] = [
      ['Host', hosts.storage],
      ['Content-Length', String(end - start)],
    ]
    const body = bytes.subarray(start, end)
    return { kind: 'framed', port: 'storage', method: 'PUT', target, headers, body }
  }
  const isReady = pool.assets.includes(session.id)
  const path = `/assets/${session.id}`
  if (isReady) return call(context, 'GET', `${path}/address`, '')
  return call(context, 'POST', `${path}/uploaded`, JSON.stringify({ upload_id: session.upload_id }))
}

function call(
  { hosts, key }: GeneratorContext,
  method: string,
  path: string,
  body: string,
): FramedRequest {
  return {
    kind: 'framed',
    port: 'api',
    method,
    target: `/api/v1${path}`,
    headers: [
      ['Host', hosts.api],
      ['Authorization', `Bearer ${key}`],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ],
    body: Buffer.from(body),
  }
}
