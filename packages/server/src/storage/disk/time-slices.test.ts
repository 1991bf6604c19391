import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openTimeSlices } from './time-slices.ts'

function aClock() {
  let timeMs = 0
  return {
    nowMs: () => timeMs,
    advance(byMs: number) {
      timeMs += byMs
    },
  }
}

test('when a slice is used up, all sockets are paused until the next turn of the event loop', async () => {
  const clock = aClock()
  const slices = openTimeSlices(clock.nowMs)
  const [slow, quick] = [new Socket(), new Socket()]
  assert.equal(slices.mayContinue(quick), true)
  clock.advance(20)
  assert.equal(slices.mayContinue(slow), false)
  assert.equal(slices.mayContinue(quick), false)
  assert.deepEqual([slow.isPaused(), quick.isPaused()], [true, true])
  await nextTurn()
  assert.deepEqual([slow.isPaused(), quick.isPaused()], [false, false])
  assert.equal(slices.mayContinue(slow), true)
})

test('a removed socket is neither paused nor resumed', async () => {
  const clock = aClock()
  const slices = openTimeSlices(clock.nowMs)
  const [slow, reading, stopped] = [new Socket(), new Socket(), new Socket()]
  for (const socket of [reading, stopped]) {
    slices.mayContinue(socket)
    slices.remove(socket)
  }
  stopped.pause()
  clock.advance(20)
  assert.equal(slices.mayContinue(slow), false)
  assert.equal(reading.isPaused(), false)
  await nextTurn()
  assert.equal(stopped.isPaused(), true)
})
