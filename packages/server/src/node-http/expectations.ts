import type { IncomingMessage, Server, ServerResponse } from 'node:http'

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
