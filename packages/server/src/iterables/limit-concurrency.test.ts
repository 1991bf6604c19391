import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limitConcurrency } from './limit-concurrency.ts'

test('at most three tasks run at the same time, and all of them end', async () => {
  const run = limitConcurrency(3)
  let running = 0
  let highest = 0
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      run(async () => {
        running += 1
        highest = Math.max(highest, running)
        await nextTurn()
        running -= 1
        if (index % 4 === 0) throw new Error('one fails')
        return index
      }),
    ),
  )
  assert.equal(highest, 3)
  assert.equal(running, 0)
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 5)
})
