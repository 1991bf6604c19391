import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { clientDisconnected, type ReadBody, type TimeSlices } from './read-body.ts'

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

/** The stream that the HTTP server gets instead of the accepted socket. */
interface FastConnection extends Duplex {
  /**
   * Passes the next `length` bytes to `onBytes` instead of the HTTP parser, including those that are
   * buffered already. They are valid only until `onBytes` returns. After them, reading stops.
   */
  bypassParser(length: number, onBytes: (bytes: Uint8Array) => void): void
  /** After a bypass: continues with a new parser, because the old one has not seen the body. */
  renewParser(): void
}

interface FastConnectionOptions {
  /** Buffers that all connections share: for the parser, and for bodies. */
  small: Buffer
  large: Buffer
  slices: TimeSlices
  serve: (connection: FastConnection) => void
  keepAliveMs: number
}

/** Serves the accepted socket as a fast connection. Returns false if this Node does not support it. */
function openFastConnection(accepted: Socket, options: FastConnectionOptions): boolean {
  const { small, large, slices, serve, keepAliveMs } = options
  let acceptBody: ((bytes: Uint8Array) => boolean) | undefined
  let remaining = 0
  let following: Buffer[] = []
  let isEnded = false
  const onread: OnReadOpts = {
    // Node calls it after each read, for the next one.
    buffer: () => (remaining > 0 ? large : small),
    callback(length, buffer) {
      const bytes = buffer.subarray(0, length)
      return acceptBody ? acceptBody(bytes) : connection.push(Buffer.from(bytes))
    },
  }
  const adopted = adoptHandle(accepted, onread)
  if (adopted === undefined) return false
  const socket = adopted
  let connection = createConnection()
  socket.on('end', () => {
    isEnded = true
    connection.push(null)
  })
  socket.on('timeout', () => connection.emit('timeout'))
  socket.on('error', (error) => connection.destroy(error))
  socket.on('close', () => {
    slices.remove(socket)
    connection.destroy()
  })
  serve(connection)
  return true

  function createConnection(): FastConnection {
    const created = new Duplex({
      readableHighWaterMark: small.length,
      read: () => void socket.resume(),
      write: (bytes, encoding, done) => void socket.write(bytes, encoding, done),
      final: (done) => void socket.end(done),
      destroy(error, done) {
        if (connection === created) socket.destroy()
        done(error)
      },
    })
    const destroySoon = () => created.end(() => created.destroy())
    const setTimeout = (timeoutMs: number) => socket.setTimeout(timeoutMs)
    return Object.assign(created, { bypassParser, renewParser, destroySoon, setTimeout })
  }

  function bypassParser(length: number, onBytes: (bytes: Uint8Array) => void): void {
    remaining = length
    acceptBody = (bytes) => {
      const body = bytes.subarray(0, remaining)
      remaining -= body.length
      if (body.length < bytes.length) following.push(Buffer.from(bytes.subarray(body.length)))
      if (remaining === 0) {
        slices.remove(socket)
        // The next parser handles the end of the connection: this one still waits for the body.
        connection.removeAllListeners('end')
      }
      if (body.length > 0) onBytes(body)
      if (remaining > 0) return slices.mayContinue(socket)
      // If the response was sent before the body ended, `onBytes` has renewed the parser, and reading continues.
      return acceptBody === undefined
    }
    connection.removeAllListeners('data')
    for (let bytes = connection.read(); bytes !== null; bytes = connection.read()) acceptBody(bytes)
    connection.resume()
    if (remaining > 0) socket.resume()
  }

  function renewParser(): void {
    acceptBody = undefined
    if (connection.writableEnded) {
      // Nothing more is read except the end of the connection.
      connection.resume()
      socket.resume()
      return
    }
    const used = connection
    connection = createConnection()
    used.destroy()
    serve(connection)
    socket.setTimeout(keepAliveMs)
    for (const bytes of following) connection.push(bytes)
    following = []
    if (isEnded) connection.push(null)
  }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  onBytes: (bytes: Uint8Array) => void
}

/** `ReadBody` for a fast connection. */
function readPastParser(
  connection: FastConnection,
  { request, response, onBytes }: Exchange,
): Promise<void> {
  let remaining = Number(request.headers['content-length'])
  return new Promise((resolve, reject) => {
    let hasFailed = false
    function fail(error: unknown): void {
      hasFailed = true
      reject(error)
    }
    function accept(bytes: Uint8Array): void {
      remaining -= bytes.length
      try {
        if (!hasFailed) onBytes(bytes)
      } catch (error) {
        fail(error)
      }
    }
    function renewParser(): void {
      if (remaining === 0 && response.writableFinished) connection.renewParser()
    }

    function start(): void {
      if (request.destroyed) {
        fail(clientDisconnected())
        return
      }
      // The bytes that arrived with the headers are in the parser's stream. Node 26 returns them in several chunks.
      for (let first = request.read(); first !== null; first = request.read()) accept(first)
      if (remaining === 0) {
        request.resume()
        resolve()
        return
      }
      response.once('close', renewParser)
      connection.bypassParser(remaining, (bytes) => {
        accept(bytes)
        if (remaining > 0) return
        resolve()
        renewParser()
      })
    }

    request.once('close', () => fail(clientDisconnected()))
    // When Node emits the request, the parser has not yet processed the bytes that arrived with the headers.
    queueMicrotask(start)
  })
}

/**
 * Creates a socket for the accepted connection that reads into the given buffers. Node documents
 * `onread` only for sockets that connect; internally it works for any handle. Returns undefined if this
 * version of Node does not support that.
 */
function adoptHandle(accepted: Socket, onread: OnReadOpts): Socket | undefined {
  const owner = accepted as unknown as HandleOwner
  const handle = owner._handle
  if (typeof handle?.useUserBuffer !== 'function') return undefined
  const options = { handle, allowHalfOpen: true, onread }
  const socket = new Socket(options as SocketConstructorOpts)
  if ((socket as unknown as HandleOwner)._handle !== handle) return undefined
  owner._handle = null
  // The server counts accepted sockets, and waits for them when it closes.
  socket.on('close', () => accepted.destroy())
  return socket
}

interface HandleOwner {
  _handle?: { useUserBuffer?: unknown } | null
}
