import { type ErrorBody, type ErrorCode, statusOf } from '@stowage/protocol'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { EngineUnavailable, invalid, ServiceError } from '../../domain/errors.ts'
import { ERROR_PAGE_POLICY, renderErrorPage } from '../pages/error-page.ts'

/** How long a caller waits before it retries after an error that is usually over soon. */
const RETRY_AFTER_SECONDS = '2'
const RETRIED_SOON = new Set<ErrorCode>([
  'verifying',
  'too_many_requests',
  'too_many_streams',
  'too_many_downloads',
  'overloaded',
])

/** Errors that Fastify itself raises. */
const FASTIFY_ERRORS: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'malformed_json',
    message: 'The body is not valid JSON. Send one JSON object in UTF-8.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'malformed_json',
    message: 'The body is empty. Send one JSON object in UTF-8.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'malformed_request',
    message:
      'The length of the body does not match its Content-Length. Send exactly that many bytes.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'The body must be JSON. Send Content-Type: application/json.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'body_too_large',
    message: 'The body is too large. Send file bytes to the part URLs, not to the API.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'not_found',
    message: 'The ID in the URL is too long. Check the ID.',
  },
  FST_ERR_BAD_URL: {
    code: 'malformed_request',
    message: 'The URL is not valid. Percent-encode it as UTF-8.',
  },
}

const OTHER_CLIENT_ERROR = {
  code: 'malformed_request',
  message: 'The request is malformed. Send well-formed HTTP/1.1.',
} as const

/** The limits of calls are per minute. */
const LIMIT_SECONDS = 60

const DISK_FULL =
  'The server’s disk is full. Nothing was changed. Delete files permanently, empty the trash, or free space on the server.'

/** Turns every error into the error body of the API, or into a page for a person. Internal details are only logged. */
export function sendError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // After refusing a body, Fastify closes the connection. The sender would be cut off before it has read
  // the response, and pipelined requests would lose theirs. After a malformed request, the connection must be closed.
  const isMalformed = error instanceof ServiceError && error.code === 'malformed_request'
  if (!isMalformed) reply.removeHeader('connection')
  if (error instanceof ServiceError) {
    const { code, message, data } = wireErrors(error)
    if (code === 'unauthenticated') reply.header('WWW-Authenticate', 'Bearer')
    if (RETRIED_SOON.has(code) && !reply.hasHeader('Retry-After'))
      reply.header('Retry-After', RETRY_AFTER_SECONDS)
    if (code === 'too_many_requests' && !reply.hasHeader('Retry-After'))
      reply.header('Retry-After', LIMIT_SECONDS)
    return send(reply, code, message, {
      ...(data.errors && { errors: data.errors }),
      ...data.details,
    })
  }
  if (error instanceof EngineUnavailable) {
    request.log.error({ err: error }, error.message)
    if (error.isFull) return send(reply, 'storage_full', DISK_FULL)
    reply.header('Retry-After', RETRY_AFTER_SECONDS)
    const message = `The ${error.engine} is unavailable. Nothing was lost. Retry in a moment.`
    return send(reply, `${error.engine}_unavailable`, message)
  }
  const clientError = clientErrorOf(error)
  if (clientError !== undefined) return send(reply, clientError.code, clientError.message)
  request.log.error({ err: error }, 'the request failed')
  const message =
    'An unexpected error occurred in the service. Retry. If the error persists, look up the X-Request-Id of the response in the log.'
  return send(reply, 'internal', message)
}

function clientErrorOf(error: FastifyError | Error) {
  const known = FASTIFY_ERRORS['code' in error ? error.code : '']
  const isClientError = 'statusCode' in error && (error.statusCode ?? 500) < 500
  return known ?? (isClientError ? OTHER_CLIENT_ERROR : undefined)
}

function send(
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  more: object = {},
): FastifyReply {
  if (wantsPage(reply.request)) return sendErrorPage(reply, code, message)
  const body: ErrorBody = { message, code, ...more }
  // The route’s serializer is only for successful responses.
  return reply
    .code(statusOf(code))
    .header('Content-Type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}

/** Whether a person has opened this URL in a browser. The API always responds with JSON. */
function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isReading = method === 'GET' || method === 'HEAD'
  return isReading && !/^\/api(\/|\?|$)/.test(url) && /\btext\/html\b/.test(headers.accept ?? '')
}

/** Sends the error as a page. */
function sendErrorPage(reply: FastifyReply, code: ErrorCode, message: string): FastifyReply {
  const status = statusOf(code)
  const text = code === 'not_found' ? 'There is no page at this URL. Check its spelling.' : message
  return reply
    .code(status)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': ERROR_PAGE_POLICY,
      'Cache-Control': 'no-store',
    })
    .serializer(String)
    .send(renderErrorPage({ code, status, message: text }))
}

/** Operations name fields in camelCase; on the wire, `products.0.variantName` is `products.0.variant_name`. */
export function wireErrors(error: ServiceError): ServiceError {
  const { errors, areWireNames } = error.data
  if (errors === undefined || areWireNames) return error
  const wire = Object.entries(errors).map(([field, problems]) => [wireField(field), problems])
  return invalid(Object.fromEntries(wire))
}

/** Changes only camelCase: `PartNumber` and `ETag` are wire names. */
function wireField(field: string): string {
  return field.replaceAll(/(?<=^|\.)[a-z]+[A-Z]\w*/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
}
