import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTurns } from './turns.ts'

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
