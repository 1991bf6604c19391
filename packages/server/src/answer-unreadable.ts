import type { Duplex } from 'node:stream'

/** What is not HTTP, or too large for it, or has no Host. */
export const UNREADABLE = {
  code: 'malformed_request',
  message: 'The request can’t be read. Send well-formed HTTP/1.1 with a Host.',
} as const

/** Answers it straight on the socket: there is no request yet that could be answered. */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ message: UNREADABLE.message, code: UNREADABLE.code })
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
