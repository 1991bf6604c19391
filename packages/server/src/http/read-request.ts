import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { UNREADABLE } from '../node-http/answer-malformed-requests.ts'
import { isDeeperThan } from './json-depth.ts'

/** Refuses a request without a Host, and a query that is not percent-encoded UTF-8. */
export function refuseUnreadable(request: FastifyRequest): void {
  if (request.headers.host === undefined) {
    throw new ServiceError(UNREADABLE.code, UNREADABLE.message)
  }
  const at = request.url.indexOf('?')
  if (at < 0) return
  try {
    decodeURIComponent(request.url.slice(at + 1))
  } catch {
    throw new ServiceError(
      'malformed_request',
      'The query of the address is not valid. Percent-encode it as UTF-8.',
    )
  }
}

/** No body of the interface has more than five. */
const MOST_LEVELS = 32
const TOO_DEEP = `The body is nested deeper than ${MOST_LEVELS} levels. Send one JSON object as /docs describes it.`

/** JSON in UTF-8 is the only body there is; other bytes are not guessed at. */
export function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Many clients declare JSON on every call; a DELETE has none.
    if (body.length === 0 && request.method === 'DELETE') {
      done(null, undefined)
      return
    }
    if (typeof body !== 'string' && !isUtf8(body)) {
      done(new ServiceError('malformed_json', 'The body is not UTF-8. Send one JSON object in it.'))
      return
    }
    if (isDeeperThan(MOST_LEVELS, typeof body === 'string' ? Buffer.from(body) : body)) {
      done(new ServiceError('malformed_json', TOO_DEEP))
      return
    }
    parse(request, body.toString(), done)
  })
}
