import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { trackPendingResponses } from './track-pending-responses.ts'

/**
 * Destroys a connection on which no byte moves for `idleMs`: a client that does not read its answer, does
 * not finish its request, or does not close its side. A client that waits for its answer is left alone.
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
