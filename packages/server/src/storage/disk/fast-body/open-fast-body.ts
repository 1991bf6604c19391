import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ReadBody } from '../read-body.ts'
import type { TimeSlices } from '../time-slices.ts'
import { type FastConnection, openFastConnection } from './fast-connection.ts'
import { readPastParser } from './read-past-parser.ts'

/** The size of the buffer for headers. It is small, because the parser's input is copied. */
const SMALL_READ = 16 * 1024
/** The size of the buffer for bodies. */
const LARGE_READ = 512 * 1024

/**
 * Makes the server bypass Node's HTTP parser for long bodies, and returns the function that reads them.
 * The parser allocates and copies each chunk, which costs more than writing it and computing its digest.
 * Here all connections read into the same two buffers. This relies on internals of Node: on a Node
 * without them, every body is read with `readBody`.
 * docs/decisions/0016-bypassing-the-parser.md explains when this is worth it.
 */
export function openFastBody(
  server: Server,
  { slices, readBody }: { slices: TimeSlices; readBody: ReadBody },
): ReadBody {
  const small = Buffer.allocUnsafeSlow(SMALL_READ)
  const large = Buffer.allocUnsafeSlow(LARGE_READ)
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (accepted: Socket) => {
    const serve = (connection: Duplex) => {
      for (const listener of listeners) listener.call(server, connection)
    }
    const keepAliveMs = keptIdleMs(server)
    const isFast = openFastConnection(accepted, { small, large, slices, serve, keepAliveMs })
    if (!isFast) serve(accepted)
  })
  return (request, response, onBytes) => {
    const connection: Duplex = request.socket
    if (!isFastConnection(connection)) return readBody(request, response, onBytes)
    return readPastParser(connection, { request, response, onBytes })
  }
}

/** How long Node keeps an idle connection; 0 means no limit. Node before 24.6 has no `keepAliveTimeoutBuffer`. */
function keptIdleMs({ keepAliveTimeout, keepAliveTimeoutBuffer = 0 }: Server): number {
  return keepAliveTimeout === 0 ? 0 : keepAliveTimeout + keepAliveTimeoutBuffer
}

function isFastConnection(connection: Duplex): connection is FastConnection {
  return 'bypassParser' in connection
}
