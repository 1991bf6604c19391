import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createStepQueue } from './time-slicer.ts'

/* Runs in its own process: it replaces the clock of the process. */

test('the steps of long tasks run account by account, for a short time per turn of the event loop', async (t) => {
  // The test moves the clock, so that its result does not depend on the speed of the machine.
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const runStep = createStepQueue()
  const order: string[] = []
  const step = (account: string) =>
    runStep(account, () => {
      order.push(account)
      now += 2
      return account
    })
  const steps = [...Array.from({ length: 20 }, () => step('busy')), step('other')]
  await nextTurn()
  assert.deepEqual(order, ['busy', 'other', 'busy'])
  await nextTurn()
  assert.equal(order.length, 6)
  assert.equal((await Promise.all(steps)).at(-1), 'other')
  assert.equal(order.length, 21)
})

test('a step that fails rejects, and the next ones run', async () => {
  const runStep = createStepQueue()
  const failing = runStep('one', () => {
    throw new Error('failed')
  })
  await assert.rejects(failing, /failed/)
  assert.equal(await runStep('one', () => 1), 1)
})
