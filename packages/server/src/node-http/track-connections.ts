import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take to close its side after the server has closed its own. */
const LINGER_MS = 1_000

/**
 * Returns a function that shuts the server’s connections down. It closes every connection without a
 * running request immediately, even if it never sent one, and the others as soon as their responses are
 * sent. Node’s own `closeIdleConnections` waits for connections that never sent a request, and destroys
 * those whose client is still reading. A client that does not close its side after the response is
 * disconnected after a moment; with `withinMs`, every client is disconnected after that time.
 */
export function trackConnections(
  server: Server,
  { withinMs }: { withinMs?: number } = {},
): () => void {
  const busy = new Map<Socket, number>()
  let isClosing = false
  // Disabled, because Node’s `server.close` calls it.
  server.closeIdleConnections = () => {}

  function change(socket: Socket, by: number): void {
    const count = busy.get(socket)
    if (count === undefined) return
    busy.set(socket, count + by)
    if (!isClosing || count + by > 0) return
    socket.end()
    // Not immediately: data that the client still sends would reset the connection and lose the response.
    destroyAfter(socket, LINGER_MS)
  }

  server.on('connection', (socket) => {
    busy.set(socket, 0)
    socket.once('close', () => busy.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    change(socket, 1)
    response.once('close', () => change(socket, -1))
  })

  return () => {
    isClosing = true
    for (const [socket, count] of busy) {
      if (count === 0) socket.destroy()
      else if (withinMs !== undefined) destroyAfter(socket, withinMs)
    }
  }
}

function destroyAfter(socket: Socket, afterMs: number): void {
  const timer = setTimeout(() => socket.destroy(), afterMs)
  socket.once('close', () => clearTimeout(timer))
}
