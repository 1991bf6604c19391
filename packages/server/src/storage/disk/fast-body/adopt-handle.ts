import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'

/**
 * Creates a socket for the accepted connection that reads into the given buffers. Node documents
 * `onread` only for sockets that connect; internally it works for any handle. Returns undefined if this
 * version of Node does not support that.
 */
export function adoptHandle(accepted: Socket, onread: OnReadOpts): Socket | undefined {
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
