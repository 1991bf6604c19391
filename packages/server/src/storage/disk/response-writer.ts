import type { IncomingMessage, ServerResponse } from 'node:http'

export interface ResponseWriter {
  /** Resolves when the bytes can be changed; rejects if the client has disconnected. */
  write(bytes: Buffer): Promise<void>
  close(): void
}

/**
 * If the client disconnects while a pipelined response still waits for an earlier one, Node never calls back
 * for its writes. So the writer also watches the connection: the download then ends and closes its file.
 */
export function openResponseWriter(
  { socket }: IncomingMessage,
  response: ServerResponse,
): ResponseWriter {
  let rejectPending: ((error: Error) => void) | undefined
  function onClose(): void {
    rejectPending?.(new Error('The client has disconnected.'))
  }
  // Each pipelined download has a listener. Node would warn of a leak from the eleventh on.
  socket.setMaxListeners(0)
  socket.once('close', onClose)
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        rejectPending = reject
        if (socket.destroyed) onClose()
        else response.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => socket.off('close', onClose),
  }
}
