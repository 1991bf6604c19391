import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, statusOf } from '@stowage/protocol/errors'
import { type PendingResponse, trackPendingResponses } from './track-pending-responses.ts'

/** An import would load Node's whole HTTP client. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** What is not HTTP, or too large for it, or has no Host. */
export const MALFORMED_REQUEST = {
  code: 'malformed_request',
  message: 'The request can’t be read. Send well-formed HTTP/1.1 with a Host.',
} as const

/** The answer to the one method that Node hands to no handler. */
const NO_PROXY = {
  code: 'method_not_allowed',
  message: 'The service is not a proxy. Send GET, POST, PUT, PATCH or DELETE.',
} as const

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** How long a client may take to close its side, so that it can read the answer. */
const LINGER_MS = 2_000

/**
 * Makes the listener for `clientError`. It answers straight on the socket, as there is no request that
 * could be answered, and after the answers of the requests before it on the same connection. Where the
 * error is in the body of a request that has its answer already, it only closes the connection: the
 * client would take a second answer for that to its next request.
 */
export function answerMalformedRequests(server: Server) {
  const pendingOn = trackPendingResponses(server)
  const latest = new WeakMap<Duplex, PendingResponse>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, { request, response })
  })
  // Node would close the connection without an answer.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const answers = pendingOn(socket).map(({ response }) => ended(response))
    void Promise.all(answers).then(() => closeConnection(socket, refusal(NO_PROXY, METHODS)))
  })
  /** The parser reports each piece of what follows again. */
  const refused = new WeakSet<Duplex>()

  return (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET') socket.destroy()
    if (refused.has(socket)) return
    refused.add(socket)
    // The answer to a request whose own body is broken would never come.
    const before = pendingOn(socket).filter(({ request }) => request.complete)
    const answers = before.map(({ response }) => ended(response))
    const last = latest.get(socket)
    const isAnswered = last?.request.complete === false && last.response.headersSent
    const close = () => closeConnection(socket, isAnswered ? '' : refusal(MALFORMED_REQUEST))
    if (answers.length === 0) close()
    else void Promise.all(answers).then(close)
  }
}

function ended(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve))
}

function refusal(
  { code, message }: { code: ErrorCode; message: string },
  allowed?: string,
): string {
  const status = statusOf(code)
  const body = JSON.stringify({ message, code })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    ...(allowed === undefined ? [] : [`Allow: ${allowed}`]),
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

function closeConnection(socket: Duplex, lastWords: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(lastWords)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
