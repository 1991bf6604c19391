import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

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
  { withinMs, lingerMs = LINGER_MS }: { withinMs?: number; lingerMs?: number } = {},
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
    destroyAfter(socket, lingerMs)
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

/** How long running work may take during a shutdown. Kubernetes kills a process after 30 s by default. */
export const SHUTDOWN_TIMEOUT_MS = 25_000

/** Sent to clients: how long they may reuse an idle connection. */
const KEEP_ALIVE_MS = 30_000
/** Longer than proxies keep an idle connection by default (often 60 seconds): they ignore the announced time. */
const KEPT_MS = 75_000

/**
 * Keeps idle connections for much longer than the time that is announced to clients. A client on a busy machine may
 * reuse a connection seconds after that time. If the connection were closed at that moment, the request would fail.
 */
export function keepIdleConnections(server: Server): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.keepAliveTimeoutBuffer = KEPT_MS - KEEP_ALIVE_MS
}

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
