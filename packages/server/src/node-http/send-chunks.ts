import type { IncomingMessage, ServerResponse } from 'node:http'

/** Some bytes of a response. */
export interface Chunk {
  bytes: Buffer
  /** Call it before the bytes are sent. Throws if they complete a part that has changed since it was stored. */
  verify?(): void
  /** Call it when nothing uses the bytes any longer; if they were sent, with the time that this took. */
  release?(tookMs?: number): void
}

/** How many chunks of a download are waiting to be sent while the next one is read. */
const MAX_WAITING = 2

/**
 * Reads chunks ahead, and verifies each while others are read and sent. A part that is sent as a whole is verified before
 * its last bytes are sent, so that the download of a damaged part never completes. The chunks of a download that fails are
 * not released, because the connection may still read from them.
 */
export async function sendChunks(
  writer: Pick<ResponseWriter, 'write'>,
  chunks: AsyncGenerator<Chunk>,
): Promise<void> {
  async function send({ bytes, release }: Chunk): Promise<void> {
    const startMs = performance.now()
    await writer.write(bytes)
    release?.(performance.now() - startMs)
  }
  const sending: Promise<void>[] = []
  try {
    for (let chunk = await chunks.next(); !chunk.done; ) {
      chunk.value.verify?.()
      if (sending.length === MAX_WAITING) await sending.shift()
      const reading = chunks.next()
      const sent = send(chunk.value)
      // Both are awaited later, or not at all if the other one fails.
      for (const pending of [reading, sent]) pending.catch(() => {})
      sending.push(sent)
      chunk = await reading
    }
    await Promise.all(sending)
  } finally {
    await chunks.return(undefined)
  }
}

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
  const pending = new Set<(error: Error) => void>()
  function onClose(): void {
    for (const reject of pending) reject(new Error('The client has disconnected.'))
  }
  // Each pipelined download has a listener. Node would warn of a leak from the eleventh on.
  socket.setMaxListeners(0)
  socket.once('close', onClose)
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        pending.add(reject)
        if (socket.destroyed) return onClose()
        response.write(bytes, (error) => {
          pending.delete(reject)
          if (error) reject(error)
          else resolve()
        })
      }),
    close: () => socket.off('close', onClose),
  }
}
