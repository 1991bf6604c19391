import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientDisconnected } from '../read-body.ts'
import type { FastConnection } from './fast-connection.ts'

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  onBytes: (bytes: Uint8Array) => void
}

/** `ReadBody` for a fast connection. */
export function readPastParser(
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
