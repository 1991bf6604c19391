import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export interface PendingResponse {
  request: IncomingMessage
  response: ServerResponse
}

/** Returns the requests of a connection whose responses are not complete, oldest first. */
export function trackPendingResponses(server: Server): (socket: Duplex) => PendingResponse[] {
  const bySocket = new WeakMap<Duplex, Set<PendingResponse>>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pending = bySocket.get(request.socket) ?? new Set()
    bySocket.set(request.socket, pending)
    const entry = { request, response }
    pending.add(entry)
    response.once('close', () => pending.delete(entry))
  })
  return (socket) => [...(bySocket.get(socket) ?? [])]
}
