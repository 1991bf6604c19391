import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { trackPendingAnswers } from './pending-answers.ts'

/** What is not HTTP, or too large for it, or has no Host. */
export const UNREADABLE = {
  code: 'malformed_request',
  message: 'The request can’t be read. Send well-formed HTTP/1.1 with a Host.',
} as const

/** How long a client may take to close its side, so that it can read the answer. */
const LINGER_MS = 2_000

/**
 * Makes the listener for `clientError`. It answers straight on the socket, as there is no request that
 * could be answered, and after the answers of the requests before it on the same connection.
 */
export function answerUnreadable(server: Server) {
  const pendingOn = trackPendingAnswers(server)
  /** The parser reports each piece of what follows again. */
  const refused = new WeakSet<Duplex>()

  return (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET') socket.destroy()
    if (refused.has(socket)) return
    refused.add(socket)
    // The answer to a request whose own body is broken would never come.
    const before = pendingOn(socket).filter(({ request }) => request.complete)
    const answers = before.map(({ response }) => ended(response))
    if (answers.length === 0) refuse(socket)
    else void Promise.all(answers).then(() => refuse(socket))
  }
}

function ended(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve))
}

function refuse(socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ message: UNREADABLE.message, code: UNREADABLE.code })
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
