import type { FastifyInstance } from 'fastify'

const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID'
const EXPOSED_HEADERS =
  'X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset'

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
