import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createStepQueue } from './time-slicer.ts'

test('the steps of long tasks run account by account, for a short time per turn of the event loop', async () => {
  const runStep = createStepQueue()
  const order: string[] = []
  const step = (account: string) =>
    runStep(account, () => {
      order.push(account)
      const until = performance.now() + 2
      while (performance.now() < until);
      return account
    })
  const steps = [...Array.from({ length: 20 }, () => step('busy')), step('other')]
  await nextTurn()
  assert.ok(order.length < 10, `${order.length} steps in one turn`)
  assert.deepEqual(order.slice(0, 2), ['busy', 'other'])
  assert.equal((await Promise.all(steps)).at(-1), 'other')
})

test('a step that fails rejects, and the next ones run', async () => {
  const runStep = createStepQueue()
  const failing = runStep('one', () => {
    throw new Error('failed')
  })
  await assert.rejects(failing, /failed/)
  assert.equal(await runStep('one', () => 1), 1)
})
