import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Line } from './open-lines.ts'

/**
 * Hands the request's body to `take` as it comes off the wire, and resolves when it has come whole.
 * The bytes are there only until `take` returns. When it throws, the rest is swallowed, so that the
 * sender sees the answer. A sender that goes away before is an error with the code `ECONNRESET`.
 */
export function takeBody(
  request: IncomingMessage,
  response: ServerResponse,
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  const line = request.socket as unknown as Line
  let left = Number(request.headers['content-length'])
  return new Promise((resolve, reject) => {
    let hasFailed = false
    function fail(error: unknown): void {
      hasFailed = true
      reject(error)
    }
    function accept(bytes: Uint8Array): void {
      left -= bytes.length
      try {
        if (!hasFailed) take(bytes)
      } catch (error) {
        fail(error)
      }
    }
    function renewLine(): void {
      if (left === 0 && response.writableFinished) line.renew()
    }

    function start(): void {
      if (request.destroyed) {
        fail(senderGone())
        return
      }
      // What came with the headers has been through the parser. Node 26 hands it out piece by piece.
      for (let first = request.read(); first !== null; first = request.read()) accept(first)
      if (left === 0) {
        request.resume()
        resolve()
        return
      }
      response.once('close', renewLine)
      line.divert(left, (bytes) => {
        accept(bytes)
        if (left > 0) return
        resolve()
        renewLine()
      })
    }

    request.once('close', () => fail(senderGone()))
    // When the headers are announced, the parser is still at work on what came with them.
    queueMicrotask(start)
  })
}

function senderGone(): Error {
  return Object.assign(new Error('the sender went away'), { code: 'ECONNRESET' })
}
