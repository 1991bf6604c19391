import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onAbort, pause } from './pause.ts'

test('if the signal is aborted before or during a pause, the pause rejects with its reason', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  const waiting = pause(60_000, controller.signal)
  controller.abort(reason)
  await assert.rejects(waiting, reason)
  await assert.rejects(pause(60_000, controller.signal), reason)
})

test('while offline, a pause waits until the network is back', async (t) => {
  const network = new EventTarget()
  const add = network.addEventListener.bind(network)
  const remove = network.removeEventListener.bind(network)
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
  // Timers fire in order: a pause that ignored the offline state would be over by now.
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(isOver, false)
  network.dispatchEvent(new Event('online'))
  await waiting
})

test('onAbort also calls a listener if the signal is already aborted', async () => {
  await new Promise<void>((resolve) => {
    onAbort(AbortSignal.abort(), resolve)
  })
})
