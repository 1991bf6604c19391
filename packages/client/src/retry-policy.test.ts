import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPatience, onAbort, pause, pauseBefore } from './retry-policy.ts'

test('pauses double up to the longest, and differ by up to a half', () => {
  const options = { firstMs: 100, longestMs: 1000 }
  for (const [attempt, full] of [
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1000],
    [50, 1000],
  ] as const) {
    const pauses = Array.from({ length: 100 }, () => pauseBefore(attempt, options))
    assert.ok(Math.min(...pauses) >= full / 2)
    assert.ok(Math.max(...pauses) <= full)
    assert.ok(Math.max(...pauses) - Math.min(...pauses) > full / 10)
  }
})

test('a pause is as long as it was asked for, and never none', () => {
  const options = { firstMs: 100, longestMs: 1000 }
  assert.equal(pauseBefore(1, options, 5000), 5000)
  assert.ok(pauseBefore(5, options, 0) >= 500)
})

test('patience ends after many failures over a long time, and begins anew with a success', () => {
  const patience = createPatience({ giveUpAfterMs: -1 })
  const failure = new Error('no answer')
  for (let count = 0; count < 8; count += 1) patience.failed(failure)
  patience.succeeded()
  for (let count = 0; count < 8; count += 1) patience.failed(failure)
  assert.throws(() => patience.failed(failure), failure)
})

test('a pause ends with the reason of an abort, before it and during it', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  const waiting = pause(60_000, controller.signal)
  controller.abort(reason)
  await assert.rejects(waiting, reason)
  await assert.rejects(pause(60_000, controller.signal), reason)
})

test('while offline a pause waits for the line', async (t) => {
  const line = new EventTarget()
  const add = line.addEventListener.bind(line)
  const remove = line.removeEventListener.bind(line)
  const global = {
    addEventListener: add,
    removeEventListener: remove,
    navigator: { onLine: false },
  }
  for (const [name, value] of Object.entries(global)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { value, configurable: true })
    t.after(() => {
      if (before === undefined) Reflect.deleteProperty(globalThis, name)
      else Object.defineProperty(globalThis, name, before)
    })
  }
  let isOver = false
  const waiting = pause(1).then(() => {
    isOver = true
  })
  // Timers go off in their order: the pause would be over by now.
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(isOver, false)
  line.dispatchEvent(new Event('online'))
  await waiting
})

test('who listens to a signal that was aborted is told too', async () => {
  await new Promise<void>((resolve) => {
    onAbort(AbortSignal.abort(), resolve)
  })
})
