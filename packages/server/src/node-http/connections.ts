import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * So many connections wait for a process that is busy. With Node's 511, a burst of a thousand clients loses some: the
 * kernel drops or resets them. It lowers a value above its own limit (`net.core.somaxconn`).
 */
export const WAITING_CONNECTIONS = 4096

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
  const connections = connectionsOf(server)
  let isClosing = false
  // Disabled, because Node’s `server.close` calls it.
  server.closeIdleConnections = () => {}
  connections.onIdle.push((socket) => {
    if (!isClosing) return
    socket.end()
    // Not immediately: data that the client still sends would reset the connection and lose the response.
    destroyAfter(socket, lingerMs)
  })

  return () => {
    isClosing = true
    for (const [socket, { pending }] of connections.open) {
      if (pending.length === 0) socket.destroy()
      else if (withinMs !== undefined) destroyAfter(socket, withinMs)
    }
  }
}

function destroyAfter(socket: Duplex, afterMs: number): void {
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
  const { open } = connectionsOf(server)
  server.setTimeout(idleMs)
  server.on('timeout', (socket: Socket) => {
    const isWaiting = open
      .get(socket)
      ?.pending.some(({ request, response }) => request.complete && !response.headersSent)
    if (isWaiting) socket.setTimeout(idleMs)
    else socket.destroy()
  })
}

interface PendingResponse {
  request: IncomingMessage
  response: ServerResponse
  /** Called when the responses to all earlier requests of the connection are complete. */
  onTurn?: () => void
}

interface OpenConnection {
  /** The requests whose responses are not complete, oldest first. */
  pending: PendingResponse[]
  /** The last request, even if its response is complete. */
  latest?: PendingResponse
}

interface Connections {
  open: Map<Duplex, OpenConnection>
  /** Called when all responses of a connection are complete, unless it is closed. */
  onIdle: ((socket: Duplex) => void)[]
}

const byServer = new WeakMap<Server, Connections>()

/** The connections of a server, which all functions that need them share. Call it before the server listens. */
export function connectionsOf(server: Server): Connections {
  const existing = byServer.get(server)
  if (existing !== undefined) return existing
  const open: Connections['open'] = new Map()
  const onIdle: Connections['onIdle'] = []
  server.on('connection', (socket: Socket) => {
    open.set(socket, { pending: [] })
    socket.once('close', () => open.delete(socket))
  })
  // Before the listener that handles the request.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const connection = open.get(socket)
    if (connection === undefined) return
    const { pending } = connection
    const own: PendingResponse = { request, response }
    connection.latest = own
    pending.push(own)
    response.on('close', () => {
      pending.splice(pending.indexOf(own), 1)
      if (socket.destroyed) return
      if (pending.length === 0) for (const call of onIdle) call(socket)
      else pending[0]?.onTurn?.()
    })
  })
  const connections = { open, onIdle }
  byServer.set(server, connections)
  return connections
}
