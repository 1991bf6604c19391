import { hash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip, gzip } from 'node:zlib'
import type { Endpoint } from '@stowage/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding } from './files.ts'

/** Whether the response of the call is a list in `data`. */
export function returnsList({ methods: [method], success: { schema } }: Endpoint): boolean {
  const { properties } = (schema ?? {}) as { properties?: { data?: { type?: string } } }
  return method === 'GET' && properties?.data?.type === 'array'
}

/**
 * Shorter lists are not compressed: they arrive in the first round trip of a connection in any case, so that compressing
 * them would only make them slower. The first page of a list is usually shorter.
 */
const COMPRESSED_FROM = 16_000
/** The digest of a longer list would delay other requests: it takes 2 µs for each 1,000 characters. */
const TAGGED_TO = 64_000
/** Compressing takes threads of the pool, which other requests need. Further lists are sent as they are. */
const MAX_COMPRESSED_AT_ONCE = 2
/** Streams compress only as fast as their clients read, so that slow clients must not keep others from compression. */
const MAX_COMPRESSED_STREAMS = 16
/** JSON of lists becomes hardly smaller with more CPU time. */
const LEVEL = { level: constants.Z_BEST_SPEED }

export type ListHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) => void

/**
 * Creates the last step of each response with a list: it gets an ETag, a client that already has it gets 304, and a long
 * list is compressed in the thread pool. Very long lists and those that are produced while they are sent have no ETag.
 */
export function createListHook(): ListHook {
  let compressing = 0
  let streams = 0

  return (request, reply, payload, done) => {
    const isJson = `${reply.getHeader('content-type')}`.startsWith('application/json')
    if (reply.statusCode !== 200 || !isJson) return done(null, payload)
    // Browsers ask each time whether the list has changed. Without this, they could also guess that it has not.
    reply.header('Cache-Control', 'private, no-cache').header('Vary', 'Accept-Encoding')
    const { 'if-none-match': known, 'accept-encoding': encodings } = request.headers
    const isCompressible =
      encodings !== undefined && request.method === 'GET' && acceptsEncoding(encodings, 'gzip')
    if (typeof payload !== 'string') {
      if (!isCompressible || streams >= MAX_COMPRESSED_STREAMS) return done(null, payload)
      streams += 1
      reply.header('Content-Encoding', 'gzip')
      // If the client disconnects, the list is not produced any further.
      const compressed = pipeline(payload as Readable, createGzip(LEVEL), () => {
        streams -= 1
      })
      return done(null, compressed)
    }
    if (payload.length <= TAGGED_TO) {
      // Weak, because the compressed list has the same one.
      const etag = `W/"${hash('sha1', payload, 'base64url')}"`
      reply.header('ETag', etag)
      if (known !== undefined && matches(known, etag)) {
        reply.code(304).removeHeader('Content-Type')
        return done(null, null)
      }
    }
    const isShort = payload.length < COMPRESSED_FROM
    if (isShort || !isCompressible || compressing >= MAX_COMPRESSED_AT_ONCE) {
      return done(null, payload)
    }
    compressing += 1
    gzip(payload, LEVEL, (error, compressed) => {
      compressing -= 1
      if (error !== null) return done(null, payload)
      reply.header('Content-Encoding', 'gzip')
      done(null, compressed)
    })
  }
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 Proxies may have made the ETag strong. */
function matches(known: string, etag: string): boolean {
  if (known.trim() === '*') return true
  const opaque = etag.slice('W/'.length)
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque)
}
