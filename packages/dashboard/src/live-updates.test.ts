import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coalesce } from './live-updates.ts'

test('however often it is called, the function runs once soon, and then once per interval', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  let runs = 0
  const call = coalesce(() => {
    runs += 1
  }, 1000)
  for (let calls = 0; calls < 100; calls += 1) call()
  t.mock.timers.tick(100)
  assert.equal(runs, 1)
  for (let calls = 0; calls < 30; calls += 1) {
    call()
    t.mock.timers.tick(100)
  }
  assert.equal(runs, 4)
  call()
  call.cancel()
  t.mock.timers.tick(5000)
  assert.equal(runs, 4)
})
