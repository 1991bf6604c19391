import { type ErrorBody, type ErrorCode, statusOf } from '@stowage/protocol'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { EngineUnavailable, ServiceError } from '../errors.ts'

/** How long a caller waits before it asks an engine again that did not answer. */
const RETRY_AFTER_SECONDS = '2'

/** What Fastify itself refuses, in our words. */
const REFUSALS: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'malformed_json',
    message: 'The body is not JSON. Send one JSON object, in UTF-8.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'malformed_json',
    message: 'The body is empty. Send one JSON object, in UTF-8.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'malformed_request',
    message: 'The body is not as long as its Content-Length says.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'The body must be JSON. Send Content-Type: application/json.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'body_too_large',
    message: 'The body is too large. File bytes go to the part addresses, not to the service.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'not_found',
    message: 'Nothing has an id of this length. Check it.',
  },
  FST_ERR_BAD_URL: {
    code: 'malformed_request',
    message: 'The address is not valid. Percent-encode it as UTF-8.',
  },
}

const OTHER_REFUSAL = {
  code: 'malformed_request',
  message: 'The request can’t be read. Send well-formed HTTP/1.1.',
} as const

const FULL =
  'The disk of the server is full. Nothing was changed: delete files, or free space on the server.'

/** Turns whatever was thrown into the one error body. Nothing of the inside leaks. */
export function answerError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // Fastify closes the connection after a body that was refused. That would cut off the sender before it
  // has read the answer, and lose the answers to the requests behind it.
  reply.removeHeader('connection')
  if (error instanceof ServiceError) {
    const { errors, details } = error.facts
    if (error.code === 'unauthenticated') reply.header('WWW-Authenticate', 'Bearer')
    return send(reply, error.code, error.message, { ...(errors && { errors }), ...details })
  }
  if (error instanceof EngineUnavailable) {
    request.log.error({ err: error }, error.message)
    if (error.isFull) return send(reply, 'storage_full', FULL)
    reply.header('Retry-After', RETRY_AFTER_SECONDS)
    const message = `The ${error.engine} does not answer. Nothing was lost: try again in a moment.`
    return send(reply, `${error.engine}_unavailable`, message)
  }
  const refusal = refusalOf(error)
  if (refusal !== undefined) {
    return send(reply, refusal.code, refusal.message)
  }
  request.log.error({ err: error }, 'the request failed')
  return send(reply, 'internal', 'The service failed. Try again; the log has the reason.')
}

function refusalOf(error: FastifyError | Error) {
  const known = REFUSALS['code' in error ? error.code : '']
  const isClients = 'statusCode' in error && (error.statusCode ?? 500) < 500
  return known ?? (isClients ? OTHER_REFUSAL : undefined)
}

function send(
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  more: object = {},
): FastifyReply {
  const body: ErrorBody = { message, code, ...more }
  // Whatever schema the route has for its success does not fit an error.
  return reply
    .code(statusOf(code))
    .header('Content-Type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}
