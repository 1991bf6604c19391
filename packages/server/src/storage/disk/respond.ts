import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, statusOf } from '@stowage/protocol/errors'

/** A body that is refused unread is swallowed for this long, so that its sender sees the answer. */
const LINGER_MS = 2_000

/**
 * Any page may use an address that it holds: the signature is the permission. ETag is exposed, as
 * browsers need it to finish an upload.
 */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader(
    'Access-Control-Expose-Headers',
    'ETag, Accept-Ranges, Content-Disposition, Content-Length, Content-Range, X-Request-Id',
  )
}

export function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  const asked = request.headers['access-control-request-headers']
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, PUT',
    ...(asked === undefined ? {} : { 'Access-Control-Allow-Headers': asked }),
    'Access-Control-Max-Age': '86400',
    Vary: 'Access-Control-Request-Headers',
  })
  response.end()
}

/**
 * Closes the connection without an answer, or in the middle of one. `response.destroy` would not do: while
 * the answer waits behind those of earlier requests, Node leaves the connection open and silent.
 */
export function cutOff(request: IncomingMessage): void {
  request.socket.destroy()
}

/** Answers with the error's body, also when the request's body was not read to its end. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: { code: ErrorCode; message: string; headers?: Record<string, string> },
): void {
  if (response.headersSent) {
    cutOff(request)
    return
  }
  const body = JSON.stringify({ message: refusal.message, code: refusal.code })
  response.writeHead(statusOf(refusal.code), {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...refusal.headers,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  if (request.complete) return
  // Closing at once would cut off the sender before it has read the answer.
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
  request.resume()
}
