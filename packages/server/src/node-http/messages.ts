import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, statusOf } from '@stowage/protocol/errors'
import { connectionsOf } from './connections.ts'

/** An import would also load fetch: see `http-modules.ts`. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The error for a request that is not HTTP, has headers that are too large, or that `isMalformed`. */
export const MALFORMED_REQUEST = {
  code: 'malformed_request',
  message:
    'The request is malformed. Send well-formed HTTP/1.1 with one Host header, and no Transfer-Encoding except chunked.',
} as const

/**
 * Whether the request violates HTTP in a way that Node's parser accepts, and that a proxy may interpret differently:
 * several Host headers or a Host that is none, or a transfer coding that the service would not decode.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2 and #section-6.1
 */
export function isMalformed({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const { host = '', 'transfer-encoding': coding } = headers
  if (/[\s,/\\@?#]/.test(host)) return true
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion !== '1.1')) {
    return true
  }
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Short and without spaces, so that it is safe in a header, in the log and in a shell. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/

/** The `X-Request-Id` of the client or of a proxy, so that its log can be compared with ours; otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Of W3C Trace Context: the version, the ID of the trace, that of the caller's span, and flags. */
const TRACE_PARENT = /^[\da-f]{2}-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-|$)/

/** The ID of the trace that the request belongs to, if its caller has one. */
export function traceIdOf({ headers }: IncomingMessage): string | undefined {
  const given = headers.traceparent
  return typeof given === 'string' ? TRACE_PARENT.exec(given)?.[1] : undefined
}

/** The error for CONNECT, the one method that Node passes to no request handler. */
const NO_PROXY = {
  code: 'method_not_allowed',
  message: 'The service is not a proxy. Send GET, POST, PUT, PATCH or DELETE.',
} as const

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** How long a client may take to close its side after it was sent the response. */
const LINGER_MS = 2_000

/**
 * Creates the listener for `clientError`. There is no request object, so it writes the response directly
 * to the socket, after the responses to earlier requests on the same connection. If the error is in the
 * body of a request that already got its response, it only closes the connection: the client would mistake
 * a second response for the response to its next request.
 */
export function refuseMalformedMessages(server: Server) {
  const { open } = connectionsOf(server)
  // Node would close the connection without a response.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const responses = open.get(socket)?.pending.map(({ response }) => ended(response)) ?? []
    void Promise.all(responses).then(() => closeConnection(socket, refusal(NO_PROXY, METHODS)))
  })
  /** The parser reports every further chunk on the connection as an error too. */
  const refused = new WeakSet<Duplex>()

  return (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET') socket.destroy()
    if (refused.has(socket)) return
    refused.add(socket)
    // Waits only for complete requests: a request whose own body is malformed would never get a response.
    const { pending = [], latest } = open.get(socket) ?? {}
    const before = pending.filter(({ request }) => request.complete)
    const responses = before.map(({ response }) => ended(response))
    const hasResponse = latest?.request.complete === false && latest.response.headersSent
    const close = () => closeConnection(socket, hasResponse ? '' : refusal(MALFORMED_REQUEST))
    if (responses.length === 0) close()
    else void Promise.all(responses).then(close)
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

function closeConnection(socket: Duplex, finalText: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(finalText)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

/** The error for an `Expect` header other than `100-continue`. */
export const UNKNOWN_EXPECTATION = {
  code: 'expectation_failed',
  message: 'The service supports no expectation except 100-continue. Remove the Expect header.',
} as const

/**
 * Passes requests with an `Expect` header to the server’s request handler. Node itself would request the
 * body before the handler has seen the request, and send 417 without a body.
 */
export function handleExpectations(server: Server): void {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  }
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
}

/** Whether the client waits for `100 Continue` before it sends the body. HTTP/1.0 does not have it. */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return isContinue(headers.expect) && httpVersion === '1.1'
}

/**
 * Sends `100 Continue` once it is this response's turn on the connection. Before that, Node would only buffer it.
 * If the body of the response is a Buffer, Node inserts the head before everything that is buffered, so that the
 * `100 Continue` would come after the head.
 */
export function writeContinueInTurn(response: ServerResponse): void {
  if (response.socket !== null) {
    response.writeContinue()
    return
  }
  response.once('socket', () => {
    if (!response.headersSent) response.writeContinue()
  })
}

export function hasUnknownExpectation({ headers: { expect } }: IncomingMessage): boolean {
  return expect !== undefined && !isContinue(expect)
}

function isContinue(expect: string | undefined): boolean {
  return expect?.trim().toLowerCase() === '100-continue'
}
