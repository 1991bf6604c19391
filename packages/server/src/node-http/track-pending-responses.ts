import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export interface PendingResponse {
  request: IncomingMessage
  response: ServerResponse
}

/** Knows the requests of each connection that have no complete answer yet, oldest first. */
export function trackPendingResponses(server: Server): (socket: Duplex) => PendingResponse[] {
  const bySocket = new WeakMap<Duplex, Set<PendingResponse>>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pending = bySocket.get(request.socket) ?? new Set()
    bySocket.set(request.socket, pending)
    const answer = { request, response }
    pending.add(answer)
    response.once('close', () => pending.delete(answer))
  })
  return (socket) => [...(bySocket.get(socket) ?? [])]
}
