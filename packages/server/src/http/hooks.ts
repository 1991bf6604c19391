import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/errors.ts'
import {
  awaitsContinue,
  hasUnknownExpectation,
  isMalformed,
  MALFORMED_REQUEST,
  UNKNOWN_EXPECTATION,
  writeContinueInTurn,
} from '../node-http/messages.ts'

/** Refuses a request without a Host or with faulty headers, and a query that is not percent-encoded UTF-8. */
export function refuseMalformedRequests(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.host === undefined || isMalformed(request.raw)) {
    // A proxy may disagree about where the next request begins.
    reply.header('Connection', 'close')
    throw new ServiceError(MALFORMED_REQUEST.code, MALFORMED_REQUEST.message)
  }
  const at = request.url.indexOf('?')
  if (at < 0) return
  try {
    decodeURIComponent(request.url.slice(at + 1))
  } catch {
    throw new ServiceError(
      'malformed_request',
      'The query of the URL is not valid. Percent-encode it as UTF-8.',
    )
  }
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Headers that proxies add, and browsers and HTTP clients do not. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * Without keys, anyone who can reach the service may use it. So it responds only to loopback host names
 * (another name that resolves to loopback is a DNS rebinding attack) and never to web pages of other
 * origins. Every request through a proxy on the same host comes from loopback, so proxied requests are
 * refused as well.
 */
export function refuseRemoteRequests(request: FastifyRequest, ownOrigin: string): void {
  const { host, origin } = request.headers
  // A request without a Host is refused later, for that reason.
  if (host !== undefined && !LOOPBACK_HOST.test(host)) {
    throw new ServiceError(
      'forbidden',
      'Without keys, the service responds only on a loopback address. Use a URL such as http://127.0.0.1:4000, or set STOWAGE_AUTH=keys.',
    )
  }
  const forwarded = Object.keys(request.headers).find((name) => FORWARDED.test(name))
  if (forwarded !== undefined) {
    throw new ServiceError(
      'forbidden',
      `The request came through a proxy (it has the header ${forwarded}), but the service runs without keys. ` +
        'Set STOWAGE_AUTH=keys, restart the service and create a key with `stowage keys add`.',
    )
  }
  const site = request.headers['sec-fetch-site']
  // Browsers send `null` with the forms of a page that sends no referrer.
  const isOwnForm = origin === 'null' && site === 'same-origin'
  const isOtherOrigin =
    origin !== undefined && !isOwnForm && origin !== ownOrigin && origin !== `http://${host}`
  const isCrossSite = site === 'cross-site' || site === 'same-site'
  if (isOtherOrigin || isCrossSite) {
    throw new ServiceError(
      'forbidden',
      'Without keys, the service does not respond to web pages of other origins. Set STOWAGE_AUTH=keys to allow them.',
    )
  }
}

/**
 * Refuses an unknown path (404) or method (405) before the body is read. Only routes that are
 * added after it count as known.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsByPath.set(url, methods)
  })

  function allowedMethods(requestUrl: string): string[] {
    const path = requestUrl.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? ''
    const exact = methodsByPath.get(path)
    if (exact !== undefined) return [...exact]
    const matching = [...methodsByPath].filter(([url]) => {
      const pattern = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
      return new RegExp(`^${pattern}$`).test(path)
    })
    return [...new Set(matching.flatMap(([, methods]) => [...methods]))]
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const allowed = allowedMethods(request.url)
    if (allowed.length === 0) {
      throw new ServiceError('not_found', 'This URL does not exist. See /docs for all calls.')
    }
    reply.header('Allow', allowed.join(', '))
    throw new ServiceError(
      'method_not_allowed',
      `This URL does not support ${request.method}. Use ${allowed.join(', ')}.`,
    )
  })
}

export function refuseExpectations({ raw }: FastifyRequest): void {
  if (!hasUnknownExpectation(raw)) return
  throw new ServiceError(UNKNOWN_EXPECTATION.code, UNKNOWN_EXPECTATION.message)
}

/** Sends `100 Continue` to a client that waits for it, after its key and route are accepted. */
export function sendContinue(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (awaitsContinue(request.raw)) writeContinueInTurn(reply.raw)
    done(null, payload)
  })
}

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-Id'
const EXPOSED_HEADERS =
  'X-Request-Id, ETag, Location, Idempotency-Replayed, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset'

/**
 * If the service requires keys, pages of any origin may call it: the key is the permission, and a
 * browser never adds it automatically.
 */
export const CROSS_ORIGIN_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
}

export function handlePreflights(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isPreflight =
      request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (!isPreflight) return done()
    reply
      .code(204)
      .headers({
        'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': ALLOWED_HEADERS,
        'Access-Control-Max-Age': '86400',
      })
      .send()
  })
}
