import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'

/**
 * What can happen to a request. `cut`: its connection breaks in the middle of the body. `stall`: it
 * is read half and never answered. `refuse`: it is answered with a status, and nobody acts.
 * `lose`: the server acts, and the connection breaks instead of the answer. `hang`: the server acts,
 * and no answer comes. `half`: the answer breaks off in the middle. `spoil`: the server acts, and a gateway answers in its place.
 */
export type Fault =
  | { kind: 'pass' }
  | { kind: 'cut' | 'stall' | 'lose' | 'hang' | 'half' }
  | { kind: 'refuse' | 'spoil'; status: number; headers?: Record<string, string>; body?: string }
  /** Read whole, and passed on once this has settled, unless the client gave up before. */
  | { kind: 'wait'; until: Promise<unknown> }

export interface FaultProxy {
  url: string
  port: number
  /** Bytes of bodies that have come in so far. */
  received(): number
  /** How many requests wait now. One whose client gave up no longer does. */
  waiting(): number
}

export interface FaultProxyOptions {
  /** Where it passes requests on to; asked each time. */
  target(): string
  /** Decides about each request. */
  fault(request: IncomingMessage): Fault
}

/**
 * What stands still is ended in the end, as every gateway does. Browsers need that: a preflight goes
 * on when its request is aborted, and six of them would leave no connection.
 */
const LONGEST_STAND_MS = 3_000

function endLater(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.socket.destroy(), LONGEST_STAND_MS)
  incoming.socket.once('close', () => clearTimeout(timer))
}

/** Stands between a client and a server of this machine. */
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
    if (decided.kind === 'stall' || decided.kind === 'hang') endLater(incoming)
    if (decided.kind === 'cut' || decided.kind === 'stall') return breakIn(decided.kind, incoming)
    if (decided.kind === 'refuse') {
      incoming.resume()
      response.writeHead(decided.status, decided.headers).end(decided.body)
      return
    }
    if (decided.kind !== 'wait') return pass(incoming, incoming, response, decided)
    // A connection that nobody reads from does not tell when the client closes it.
    const body = incoming.pipe(new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER }))
    waiting += 1
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    incoming.socket.once('close', close)
    await Promise.race([decided.until, closed])
    // The connection may bring many more requests.
    incoming.socket.off('close', close)
    waiting -= 1
    if (!incoming.socket.destroyed) pass(incoming, body, response, decided)
  }

  function breakIn(kind: 'cut' | 'stall', incoming: IncomingMessage): void {
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
    upstream.on('response', (answer) => {
      const { statusCode = 502, headers: answered } = answer
      if (decided.kind === 'pass' || decided.kind === 'wait') {
        response.writeHead(statusCode, answered)
        answer.pipe(response)
        return
      }
      if (decided.kind === 'half') return breakOff(answer, response)
      answer.resume().once('end', () => {
        if (decided.kind === 'lose') response.destroy()
        if (decided.kind === 'spoil') {
          response.writeHead(decided.status, decided.headers).end(decided.body)
        }
      })
    })
    body.pipe(upstream)
  }

  function breakOff(answer: IncomingMessage, response: ServerResponse): void {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    let left = Number(answer.headers['content-length']) / 2
    answer.on('data', (chunk: Buffer) => {
      left -= chunk.length
      // The callback comes once the bytes have left, so that they are not lost with the connection.
      response.write(chunk, () => left <= 0 && response.destroy())
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
