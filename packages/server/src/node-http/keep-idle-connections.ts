import type { Server } from 'node:http'

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
