import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { isMalformed, MALFORMED_REQUEST } from '../../node-http/refuse-malformed-messages.ts'

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
