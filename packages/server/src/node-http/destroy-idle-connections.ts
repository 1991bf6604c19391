import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { trackPendingResponses } from './track-pending-responses.ts'

/**
 * Destroys a connection without traffic for `idleMs`: the client does not read its response, finish its
 * request or close its side. A connection on which the client waits for a response is kept.
 */
export function destroyIdleConnections(server: Server, idleMs: number): void {
  const pendingOn = trackPendingResponses(server)
  server.setTimeout(idleMs)
  server.on('timeout', (socket: Socket) => {
    const isWaiting = pendingOn(socket).some(
      ({ request, response }) => request.complete && !response.headersSent,
    )
    if (isWaiting) socket.setTimeout(idleMs)
    else socket.destroy()
  })
}
