import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take to close its side once its answer is out and ours is closed. */
const LINGER_MS = 1_000

/**
 * Lets a server end: returns a function that closes every connection without a request under way,
 * also those that have never sent one, and each other one as soon as its answer is out. Node's own
 * `closeIdleConnections` waits for the silent ones, and cuts off those that still read their answer.
 * A client that does not close its side after the answer is cut off after a moment; with `withinMs`,
 * every client is cut off after that time.
 */
export function trackConnections(
  server: Server,
  { withinMs }: { withinMs?: number } = {},
): () => void {
  const busy = new Map<Socket, number>()
  let isClosing = false
  // Node's `close` calls it.
  server.closeIdleConnections = () => {}

  function change(socket: Socket, by: number): void {
    const count = busy.get(socket)
    if (count === undefined) return
    busy.set(socket, count + by)
    if (!isClosing || count + by > 0) return
    socket.end()
    // Not at once: what the client still sends would be refused, and the answer lost with that.
    cutOff(socket, LINGER_MS)
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
      else if (withinMs !== undefined) cutOff(socket, withinMs)
    }
  }
}

function cutOff(socket: Socket, afterMs: number): void {
  const timer = setTimeout(() => socket.destroy(), afterMs)
  socket.once('close', () => clearTimeout(timer))
}
