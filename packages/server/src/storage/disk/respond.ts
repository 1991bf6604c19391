import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, statusOf } from '@stowage/protocol/errors'

/** How long the rest of a refused body is read and discarded, so that the client can read the response. */
const LINGER_MS = 2_000
/** How long a client waits before it retries. */
const RETRY_AFTER_SECONDS = 2
const RETRIED = new Set<ErrorCode>([
  'storage_unavailable',
  'database_unavailable',
  'too_many_downloads',
])

/**
 * Pages of any origin may use a signed URL: the signature is the permission. ETag is exposed, as
 * browsers need it to complete an upload.
 */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader(
    'Access-Control-Expose-Headers',
    'ETag, Accept-Ranges, Content-Disposition, Content-Length, Content-Range, Repr-Digest, X-Request-Id',
  )
}

export function respondToPreflight(request: IncomingMessage, response: ServerResponse): void {
  const requested = request.headers['access-control-request-headers']
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, PUT',
    ...(requested === undefined ? {} : { 'Access-Control-Allow-Headers': requested }),
    'Access-Control-Max-Age': '86400',
    Vary: 'Access-Control-Request-Headers',
  })
  response.end()
}

/**
 * Closes the connection without a response, or during one. `response.destroy` is not enough: while the
 * response is queued behind those of earlier requests, Node leaves the connection open.
 */
export function closeConnection(request: IncomingMessage): void {
  request.socket.destroy()
}

/** Responds with the error, even if the request's body has not been read to its end. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: { code: ErrorCode; message: string; headers?: Record<string, string> },
): void {
  if (response.headersSent) {
    closeConnection(request)
    return
  }
  const body = JSON.stringify({ message: refusal.message, code: refusal.code })
  response.writeHead(statusOf(refusal.code), {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(RETRIED.has(refusal.code) && { 'Retry-After': RETRY_AFTER_SECONDS }),
    ...refusal.headers,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  if (request.complete) return
  // Closing immediately would disconnect the client before it has read the response.
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
  request.resume()
}
