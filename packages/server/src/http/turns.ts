import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createFairQueue } from '../iterables/fair-queue.ts'
import { connectionsOf } from '../node-http/connections.ts'

/** How long the requests of one turn of the event loop may start. */
const BUDGET_MS = 5

/** Calls `start` when it is the account's turn. */
type TakeTurn = (accountId: string, start: () => void) => void

/**
 * Starts requests account by account, and only for a few milliseconds per turn of the event loop. Hundreds of concurrent
 * requests of one account would otherwise start in one turn, and every other account would wait for all of them.
 */
export function createTurns(): TakeTurn {
  const waiting = createFairQueue<() => void>()
  let endsAt: number | undefined

  /** Starts one request. Each waiting request has scheduled one call. */
  function startNext(): void {
    const now = performance.now()
    if (endsAt === undefined) {
      endsAt = now + BUDGET_MS
      // Runs in the next turn, before the calls that are scheduled below.
      setImmediate(() => {
        endsAt = undefined
      })
    }
    if (now > endsAt) return void setImmediate(startNext)
    waiting.takeNext()?.()
  }

  return (accountId, start) => {
    waiting.add(accountId, start)
    setImmediate(startNext)
  }
}

/** A connection with more requests that wait for their responses is closed: each of them takes memory. */
const MAX_PIPELINED = 100

/** Calls `start` when the responses to all earlier requests of the connection are complete. */
type WaitForEarlier = (request: IncomingMessage, start: () => void) => void

/**
 * Starts the requests of a connection one after another. Their responses can only be sent in this order, so a client that
 * sends thousands of requests without reading would otherwise fill the memory with responses that wait. Call it after
 * the server has its handler: the handler gets no more requests of a connection that was closed.
 */
export function startInOrder(server: Server): WaitForEarlier {
  const { open } = connectionsOf(server)
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const earlier = open.get(socket)?.pending.length ?? 0
    if (earlier >= MAX_PIPELINED) socket.destroy()
    // One chunk may contain hundreds of requests. Node emits all of them, even after the connection was destroyed.
    if (socket.destroyed) return
    for (const handle of handlers) handle.call(server, request, response)
  })

  return (request, start) => {
    const pending = open.get(request.socket)?.pending ?? []
    const own = pending.find((one) => one.request === request)
    if (own === undefined || own === pending[0]) start()
    else own.onTurn = start
  }
}
