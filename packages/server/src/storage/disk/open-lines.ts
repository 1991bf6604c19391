import type { Server } from 'node:http'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { Duplex } from 'node:stream'

/** What the HTTP server takes for a connection. */
export interface Line extends Duplex {
  /**
   * Keeps the next `length` bytes from the HTTP parser, also those that wait already, and hands
   * them to `take`, which may use them only until it returns. Nothing more is read then.
   */
  divert(length: number, take: (bytes: Uint8Array) => void): void
  /** After diverted bytes: goes on with a parser that knows nothing of them. */
  renew(): void
}

/** For the parser, which copies. */
const SMALL_READ = 16 * 1024
const LARGE_READ = 512 * 1024

/**
 * Has the server read its connections through lines. Node's way for a body is through the parser,
 * in pieces that are allocated, copied and thrown away; that costs more than all that is done with
 * them. Lines read into the same buffers for all connections, and let bodies pass by.
 */
export function openLines(server: Server): void {
  const small = Buffer.allocUnsafeSlow(SMALL_READ)
  const large = Buffer.allocUnsafeSlow(LARGE_READ)
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (accepted: Socket) => {
    const serve = (line: Line) => {
      for (const listener of listeners) listener.call(server, line)
    }
    openLine(accepted, { small, large, serve, keepAliveMs: server.keepAliveTimeout })
  })
}

function openLine(
  accepted: Socket,
  options: { small: Buffer; large: Buffer; serve: (line: Line) => void; keepAliveMs: number },
): void {
  const { small, large, serve, keepAliveMs } = options
  let divertTo: ((bytes: Uint8Array) => boolean) | undefined
  let rest: Buffer[] = []
  const socket = withOnread(accepted, {
    buffer: () => (divertTo ? large : small),
    callback(length, buffer) {
      const bytes = buffer.subarray(0, length)
      return divertTo ? divertTo(bytes) : line.push(Buffer.from(bytes))
    },
  })
  let line = makeLine()
  socket.on('end', () => line.push(null))
  socket.on('timeout', () => line.emit('timeout'))
  socket.on('error', (error) => line.destroy(error))
  socket.on('close', () => line.destroy())
  serve(line)

  function makeLine(): Line {
    const made = new Duplex({
      readableHighWaterMark: SMALL_READ,
      read: () => void socket.resume(),
      write: (bytes, encoding, done) => void socket.write(bytes, encoding, done),
      final: (done) => void socket.end(done),
      destroy(error, done) {
        if (line === made) socket.destroy()
        done(error)
      },
    })
    const destroySoon = () => made.end(() => made.destroy())
    const setTimeout = (timeoutMs: number) => socket.setTimeout(timeoutMs)
    return Object.assign(made, { divert, renew, destroySoon, setTimeout })
  }

  function divert(length: number, take: (bytes: Uint8Array) => void): void {
    let left = length
    divertTo = (bytes) => {
      const taken = bytes.subarray(0, left)
      left -= taken.length
      if (taken.length < bytes.length) rest.push(Buffer.from(bytes.subarray(taken.length)))
      if (taken.length > 0) take(taken)
      return left > 0
    }
    line.removeAllListeners('data')
    for (let bytes = line.read(); bytes !== null; bytes = line.read()) divertTo(bytes)
    line.resume()
    if (left > 0) socket.resume()
  }

  function renew(): void {
    divertTo = undefined
    if (line.writableEnded) {
      // Only the other side's end is still to come.
      line.resume()
      socket.resume()
      return
    }
    const used = line
    line = makeLine()
    used.destroy()
    serve(line)
    socket.setTimeout(keepAliveMs)
    for (const bytes of rest) line.push(bytes)
    rest = []
  }
}

/**
 * A socket for the accepted one's connection that reads into given buffers. By its documented
 * interface Node does that only for sockets that connect; this is how it does it for them.
 */
function withOnread(accepted: Socket, onread: OnReadOpts): Socket {
  const holder = accepted as unknown as { _handle: object | null }
  const settings = { handle: holder._handle, allowHalfOpen: true, onread }
  const socket = new Socket(settings as SocketConstructorOpts)
  holder._handle = null
  // The server counts the accepted ones, and waits for them when it closes.
  socket.on('close', () => accepted.destroy())
  return socket
}
