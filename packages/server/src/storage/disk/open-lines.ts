import type { Server } from 'node:http'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { openTurns, type Turns } from './open-turns.ts'

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
 * them. Lines read into the same buffers for all connections, and let bodies pass by. Where Node
 * can't read into given buffers, or `plainReads` asks for it, they take the pieces as they come.
 */
export function openLines(server: Server, { plainReads }: { plainReads: boolean }): void {
  const small = Buffer.allocUnsafeSlow(SMALL_READ)
  const large = Buffer.allocUnsafeSlow(LARGE_READ)
  const turns = openTurns(() => performance.now())
  // Who has sent all may close its side and wait for the answer; a Node without this cuts it off.
  Object.assign(server, { httpAllowHalfOpen: true })
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (accepted: Socket) => {
    const serve = (line: Line) => {
      for (const listener of listeners) listener.call(server, line)
    }
    const { keepAliveTimeout: keepAliveMs } = server
    openLine(accepted, { small, large, turns, plainReads, serve, keepAliveMs })
  })
}

interface LineOptions {
  small: Buffer
  large: Buffer
  turns: Turns
  plainReads: boolean
  serve: (line: Line) => void
  keepAliveMs: number
}

function openLine(accepted: Socket, options: LineOptions): void {
  const { small, large, turns, plainReads, serve, keepAliveMs } = options
  let divertTo: ((bytes: Uint8Array) => boolean) | undefined
  let left = 0
  let rest: Buffer[] = []
  let isEnded = false
  const take = (bytes: Uint8Array) => (divertTo ? divertTo(bytes) : line.push(Buffer.from(bytes)))
  const onread: OnReadOpts = {
    // Asked after each read, for the next one.
    buffer: () => (left > 0 ? large : small),
    callback: (length, buffer) => take(buffer.subarray(0, length)),
  }
  const socket = (!plainReads && withOnread(accepted, onread)) || accepted
  let line = makeLine()
  // Only of a socket that does not read into our buffers.
  socket.on('data', (bytes) => {
    if (!take(bytes)) socket.pause()
  })
  socket.on('end', () => {
    isEnded = true
    line.push(null)
  })
  socket.on('timeout', () => line.emit('timeout'))
  socket.on('error', (error) => line.destroy(error))
  socket.on('close', () => {
    turns.leave(socket)
    line.destroy()
  })
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

  function divert(length: number, accept: (bytes: Uint8Array) => void): void {
    left = length
    divertTo = (bytes) => {
      const taken = bytes.subarray(0, left)
      left -= taken.length
      if (taken.length < bytes.length) rest.push(Buffer.from(bytes.subarray(taken.length)))
      if (taken.length > 0) accept(taken)
      if (left > 0) return turns.mayGoOn(socket)
      turns.leave(socket)
      // Whether more follows is for the next parser: this one would miss the body.
      line.removeAllListeners('end')
      return false
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
    if (isEnded) line.push(null)
  }
}

/**
 * A socket for the accepted one's connection that reads into given buffers. By its documented
 * interface Node does that only for sockets that connect; this is how it does it for them.
 * Undefined where Node has changed that.
 */
function withOnread(accepted: Socket, onread: OnReadOpts): Socket | undefined {
  const holder = accepted as unknown as HandleHolder
  const handle = holder._handle
  if (typeof handle?.useUserBuffer !== 'function') return undefined
  const settings = { handle, allowHalfOpen: true, onread }
  const socket = new Socket(settings as SocketConstructorOpts)
  if ((socket as unknown as HandleHolder)._handle !== handle) return undefined
  holder._handle = null
  // The server counts the accepted ones, and waits for them when it closes.
  socket.on('close', () => accepted.destroy())
  return socket
}

interface HandleHolder {
  _handle?: { useUserBuffer?: unknown } | null
}
