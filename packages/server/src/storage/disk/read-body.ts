import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TimeSlices } from './time-slices.ts'

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
