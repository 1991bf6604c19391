import { LARGEST_FILE } from './make-api-request.ts'
import type { Maker } from './maker.ts'
import { pickRecent } from './pool.ts'
import type { FramedRequest } from './request.ts'

/** As many uploads are there for hostile requests to meet. */
const ENOUGH_UPLOADS = 12

/** The valid next step of an upload, so that hostile requests find parts, files and downloads. */
export function makeFlowRequest(maker: Maker): FramedRequest | undefined {
  const { random, pool, hosts, partsUnderWay } = maker
  const upload = pickRecent(random, pool.uploads)
  if (upload === undefined || random.between(0, ENOUGH_UPLOADS) >= pool.uploads.length) {
    const file = { name: 'flow.bin', size: random.between(0, LARGEST_FILE), mime: 'text/plain' }
    return call(maker, 'POST', '/assets/signed', JSON.stringify(file))
  }
  const { session, etags, bytes } = upload
  const missing = session.urls.find(({ part }) => !etags.has(part))
  if (missing !== undefined) {
    const { url, start, end } = missing
    if (partsUnderWay.has(url)) return undefined
    partsUnderWay.add(url)
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
  if (isReady) return call(maker, 'GET', `${path}/address`, '')
  return call(maker, 'POST', `${path}/uploaded`, JSON.stringify({ upload_id: session.upload_id }))
}

function call({ hosts, key }: Maker, method: string, path: string, body: string): FramedRequest {
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
