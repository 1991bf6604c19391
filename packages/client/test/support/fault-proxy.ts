import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'

/**
 * The faults of a request. `cut`: the connection breaks in the middle of the request body. `stall`: only
 * half of the request is read, and there is no response. `refuse`: the proxy responds with a status, and
 * the server does not receive the request. `lose`: the server acts, but the connection breaks instead of a
 * response. `hang`: the server acts, but there is no response. `half`: the connection breaks in the middle
 * of the response. `spoil`: the server acts, but the proxy responds instead.
 */
export type Fault =
  | { kind: 'pass' }
  | { kind: 'cut' | 'stall' | 'lose' | 'hang' | 'half' }
  | { kind: 'refuse' | 'spoil'; status: number; headers?: Record<string, string>; body?: string }
  /** Reads the request, and forwards it when the promise settles, unless the client has closed the connection. */
  | { kind: 'wait'; until: Promise<unknown> }

export interface FaultProxy {
  url: string
  port: number
  /** The bytes of request bodies received so far. */
  received(): number
  /** How many requests are waiting, without those whose client has closed the connection. */
  waiting(): number
}

export interface FaultProxyOptions {
  /** Returns the URL of the server. Called for each request. */
  target(): string
  /** Chooses the fault of each request. */
  fault(request: IncomingMessage): Fault
}

/**
 * Hanging connections are closed after this time, as gateways do. Browsers need that: a preflight continues
 * after its request is aborted, and six of them would use up all connections.
 */
const MAX_HANG_MS = 3_000

function closeLater(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.socket.destroy(), MAX_HANG_MS)
  incoming.socket.once('close', () => clearTimeout(timer))
}

/** A proxy between a client and a server on this machine. */
export async function aFaultProxy(
  t: TestContext,
  { target, fault }: FaultProxyOptions,
): Promise<FaultProxy> {
  let received = 0
  let waiting = 0

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    incoming.on('error', () => {})
    incoming.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    incoming.pause()
    const decided = fault(incoming)
    if (decided.kind === 'stall' || decided.kind === 'hang') closeLater(incoming)
    if (decided.kind === 'cut' || decided.kind === 'stall')
      return breakRequest(decided.kind, incoming)
    if (decided.kind === 'refuse') {
      incoming.resume()
      response.writeHead(decided.status, decided.headers).end(decided.body)
      return
    }
    if (decided.kind !== 'wait') return pass(incoming, incoming, response, decided)
    // Read the body: an unread connection does not report that the client closed it.
    const body = incoming.pipe(new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER }))
    waiting += 1
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    incoming.socket.once('close', close)
    await Promise.race([decided.until, closed])
    // The connection is reused for further requests.
    incoming.socket.off('close', close)
    waiting -= 1
    if (!incoming.socket.destroyed) pass(incoming, body, response, decided)
  }

  function breakRequest(kind: 'cut' | 'stall', incoming: IncomingMessage): void {
    const half = Number(incoming.headers['content-length'] ?? 0) / 2
    const enough = received + half
    if (half === 0 && kind === 'cut') return void incoming.destroy()
    incoming.on('data', () => {
      if (received < enough) return
      if (kind === 'cut') incoming.destroy()
      else incoming.pause()
    })
    incoming.resume()
  }

  function pass(
    incoming: IncomingMessage,
    body: Readable,
    response: ServerResponse,
    decided: Fault,
  ): void {
    const { method, headers, url } = incoming
    const upstream = request(new URL(url ?? '/', target()), { method, headers, agent: false })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    upstream.on('response', (upstreamResponse) => {
      const { statusCode = 502, headers: responseHeaders } = upstreamResponse
      if (decided.kind === 'pass' || decided.kind === 'wait') {
        response.writeHead(statusCode, responseHeaders)
        upstreamResponse.pipe(response)
        return
      }
      if (decided.kind === 'half') return breakResponse(upstreamResponse, response)
      upstreamResponse.resume().once('end', () => {
        if (decided.kind === 'lose') response.destroy()
        if (decided.kind === 'spoil') {
          response.writeHead(decided.status, decided.headers).end(decided.body)
        }
      })
    })
    body.pipe(upstream)
  }

  function breakResponse(upstreamResponse: IncomingMessage, response: ServerResponse): void {
    response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
    let remaining = Number(upstreamResponse.headers['content-length']) / 2
    upstreamResponse.on('data', (chunk: Buffer) => {
      remaining -= chunk.length
      // Close only in the callback, when the bytes have been sent.
      response.write(chunk, () => remaining <= 0 && response.destroy())
    })
  }

  const server = createServer((incoming, response) => void handle(incoming, response))
  server.requestTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(t, () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, received: () => received, waiting: () => waiting }
}
