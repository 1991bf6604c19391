import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { createTurns, startInOrder } from './turns.ts'

/** Blocks the event loop, as a request does that computes. */
function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('requests start account by account', async () => {
  const takeTurn = createTurns()
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const account of ['busy', 'busy', 'busy', 'other', 'third', 'other', 'busy']) {
    takeTurn(account, () => {
      order.push(account)
      if (order.length === 7) resolve()
    })
  }
  await promise
  assert.deepEqual(order, ['busy', 'other', 'third', 'busy', 'other', 'busy', 'busy'])
})

test('a request starts soon although hundreds of another account wait', async () => {
  const takeTurn = createTurns()
  let started = 0
  const busy = Array.from(
    { length: 200 },
    () =>
      new Promise<void>((resolve) => {
        takeTurn('busy', () => {
          started += 1
          block(1)
          resolve()
        })
      }),
  )
  await nextTurn()
  // The first turn has started some of them, and then has let the event loop continue.
  assert.ok(started > 0 && started < 20, `${started} started`)
  const before = started
  await new Promise<void>((resolve) => takeTurn('other', resolve))
  assert.ok(started - before < 20, `${started - before} started before the other account`)
  await Promise.all(busy)
})

test('pipelined requests start one after another, each after the response to the one before', async (t) => {
  const { send, started, finish } = await aServerInOrder(t)
  send(3)
  await until('the first request has started', () => started.length > 0)
  assert.deepEqual(started, ['/1'])
  finish()
  await until('the second request has started', () => started.length > 1)
  assert.deepEqual(started, ['/1', '/2'])
})

test('a connection with more than 100 unanswered requests is closed, and none of those that wait starts', async (t) => {
  const { send, handled, started, isClosed } = await aServerInOrder(t)
  send(101)
  await until('the connection is closed', isClosed)
  assert.deepEqual(started, ['/1'])
  assert.equal(handled(), 100)
})

test('the handler gets no requests that were received after those that closed the connection', async (t) => {
  const { send, handled, isClosed } = await aServerInOrder(t)
  send(2000)
  await until('the connection is closed', isClosed)
  assert.equal(handled(), 100)
})

/** A server whose handlers end only when they are told to, and a connection to it. */
async function aServerInOrder(t: TestContext) {
  const started: string[] = []
  const running: ServerResponse[] = []
  let handled = 0
  const server = createServer((request, response) => {
    handled += 1
    waitForEarlier(request, () => {
      started.push(request.url ?? '')
      running.push(response)
    })
  })
  const waitForEarlier = startInOrder(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect(Number((server.address() as AddressInfo).port), '127.0.0.1')
  socket.on('error', () => {}).resume()
  cleanUp(t, () => {
    socket.destroy()
    server.close()
  })
  return {
    started,
    handled: () => handled,
    isClosed: () => socket.destroyed,
    finish: () => running.shift()?.end(),
    send(count: number) {
      const requests = Array.from(
        { length: count },
        (_, index) => `GET /${index + 1} HTTP/1.1\r\nHost: x\r\n\r\n`,
      )
      socket.write(requests.join(''))
    },
  }
}
