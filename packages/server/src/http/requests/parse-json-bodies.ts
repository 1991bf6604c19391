import { isUtf8 } from 'node:buffer'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { isDeeperThan } from './is-deeper-than.ts'

/** No request body of the API needs more than four levels. */
const MAX_DEPTH = 32
const TOO_DEEP = `The body is nested deeper than ${MAX_DEPTH} levels. Send one JSON object as described in /docs.`

/** Accepts JSON in UTF-8 and no other body. If a call needs no body, an empty one may have any Content-Type. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, _payload, done) => {
    // curl -d '', PHP and Ruby declare a form on every POST, even on one without a body.
    if (hasNoBody(request) && mayBeEmpty(request)) done(null, undefined)
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE())
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Many clients declare JSON on every request, even on one without a body.
    if (body.length === 0 && mayBeEmpty(request)) {
      done(null, undefined)
      return
    }
    if (typeof body !== 'string' && !isUtf8(body)) {
      const message = 'The body is not valid UTF-8. Send one JSON object in UTF-8.'
      done(new ServiceError('malformed_json', message))
      return
    }
    if (isDeeperThan(MAX_DEPTH, typeof body === 'string' ? Buffer.from(body) : body)) {
      done(new ServiceError('malformed_json', TOO_DEEP))
      return
    }
    parse(request, body.toString(), done)
  })
}

function hasNoBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

function mayBeEmpty({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' || routeOptions.config.isBodyOptional === true
}
