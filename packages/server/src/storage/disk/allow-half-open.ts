import type { Server } from 'node:http'

/**
 * Sends the response even to a client that closes its sending side after the request. Node does not
 * document this property; a Node without it closes the connection of such a client.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}
