import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Passes a request body to `onBytes` as it arrives, and resolves at its end. The bytes are valid only
 * until `onBytes` returns. If `onBytes` throws, the rest of the body is discarded, so that the client
 * can read the response. If the client disconnects first, it rejects with the code `ECONNRESET`.
 */
export type ReadBody = (
  request: IncomingMessage,
  response: ServerResponse,
  onBytes: (bytes: Uint8Array) => void,
) => Promise<void>

/** Reads bodies as Node's HTTP parser emits them. */
export function openBodyReader(slices: TimeSlices): ReadBody {
  return (request, _response, onBytes) =>
    new Promise((resolve, reject) => {
      let hasFailed = false
      function fail(error: unknown): void {
        hasFailed = true
        reject(error)
      }
      request.once('close', () => {
        slices.remove(request)
        fail(clientDisconnected())
      })
      if (request.destroyed) return fail(clientDisconnected())
      request.on('data', (bytes: Uint8Array) => {
        try {
          if (!hasFailed) onBytes(bytes)
        } catch (error) {
          fail(error)
        }
        slices.mayContinue(request)
      })
      request.once('end', resolve)
    })
}

export function clientDisconnected(): Error {
  return Object.assign(new Error('the client disconnected'), { code: 'ECONNRESET' })
}

/** How long bodies are read before the other work on the thread gets a turn. */
const SLICE_MS = 5

/** A stream or socket whose data is processed synchronously: hashed, and sometimes also written to the disk. */
interface Pausable {
  pause(): unknown
  resume(): unknown
}

export interface TimeSlices {
  /** Call it after each chunk. Returns false if the slice is used up: all streams are paused until the next slice. */
  mayContinue(stream: Pausable): boolean
  remove(stream: Pausable): void
}

/**
 * Shares a thread between streams whose data is processed synchronously and everything else. Node reads
 * from a socket for as long as it has data, and then from the next one: with 64 parts in transfer and a
 * slow disk, other requests would wait for seconds.
 */
export function openTimeSlices(nowMs: () => number): TimeSlices {
  const streams = new Set<Pausable>()
  let start = nowMs()
  let isOver = false

  function endSlice(): void {
    isOver = true
    for (const stream of streams) stream.pause()
    setImmediate(() => {
      isOver = false
      start = nowMs()
      for (const stream of streams) stream.resume()
    })
  }

  return {
    mayContinue(stream) {
      // Moved to the end, so that streams that read nothing in this slice come first in the next one.
      streams.delete(stream)
      streams.add(stream)
      if (!isOver && nowMs() - start > SLICE_MS) endSlice()
      return !isOver
    },
    remove: (stream) => void streams.delete(stream),
  }
}
