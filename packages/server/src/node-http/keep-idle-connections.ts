import type { Server } from 'node:http'

/** Sent to clients: how long they may reuse an idle connection. */
const KEEP_ALIVE_MS = 30_000
/** Longer than proxies keep an idle connection by default, whatever they are told: often 60 seconds. */
const KEPT_MS = 75_000

/**
 * Keeps idle connections for much longer than clients are told. A client on a busy machine reuses a connection
 * seconds later than it may. If it were closed at that moment, the request would fail.
 */
export function keepIdleConnections(server: Server): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.keepAliveTimeoutBuffer = KEPT_MS - KEEP_ALIVE_MS
}
