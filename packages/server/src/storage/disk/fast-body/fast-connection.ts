import type { OnReadOpts, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { TimeSlices } from '../time-slices.ts'
import { adoptHandle } from './adopt-handle.ts'

/** The stream that the HTTP server gets instead of the accepted socket. */
export interface FastConnection extends Duplex {
  /**
   * Passes the next `length` bytes to `onBytes` instead of the HTTP parser, including those that are
   * buffered already. They are valid only until `onBytes` returns. After them, reading stops.
   */
  bypassParser(length: number, onBytes: (bytes: Uint8Array) => void): void
  /** After a bypass: continues with a new parser, because the old one has not seen the body. */
  renewParser(): void
}

interface Options {
  /** Buffers that all connections share: for the parser, and for bodies. */
  small: Buffer
  large: Buffer
  slices: TimeSlices
  serve: (connection: FastConnection) => void
  keepAliveMs: number
}

/** Serves the accepted socket as a fast connection. Returns false if this Node does not support it. */
export function openFastConnection(accepted: Socket, options: Options): boolean {
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
