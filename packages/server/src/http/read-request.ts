import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'

const UNREADABLE = 'The request can’t be read. Send well-formed HTTP/1.1 with a Host.'

/** Refuses a request without a Host, and a query that is not percent-encoded UTF-8. */
export function refuseUnreadable(request: FastifyRequest): void {
  if (request.headers.host === undefined) throw new ServiceError('malformed_request', UNREADABLE)
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

/** JSON in UTF-8 is the only body there is; other bytes are not guessed at. */
export function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (typeof body !== 'string' && !isUtf8(body)) {
      done(new ServiceError('malformed_json', 'The body is not UTF-8. Send one JSON object in it.'))
      return
    }
    parse(request, body.toString(), done)
  })
}

/** Answers what is not HTTP, or too large for it, straight on the socket. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ message: UNREADABLE, code: 'malformed_request' })
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
