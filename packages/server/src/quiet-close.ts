import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Lets a server end: returns a function that closes every connection without a request under way,
 * also those that have never sent one, and each other one as soon as its answer is out. Node's own
 * `closeIdleConnections` waits for the silent ones.
 */
export function trackConnections(server: Server): () => void {
  const busy = new Map<Socket, number>()
  let isClosing = false

  function change(socket: Socket, by: number): void {
    const count = busy.get(socket)
    if (count === undefined) return
    busy.set(socket, count + by)
    if (isClosing && count + by === 0) socket.end()
  }

  server.on('connection', (socket) => {
    busy.set(socket, 0)
    socket.once('close', () => busy.delete(socket))
  })
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    change(socket, 1)
    response.once('close', () => change(socket, -1))
  }
  server.on('request', onRequest)
  server.on('checkContinue', onRequest)

  return () => {
    isClosing = true
    for (const [socket, count] of busy) {
      if (count === 0) socket.destroy()
    }
  }
}
