import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openTurns } from './open-turns.ts'

function aClock() {
  let timeMs = 0
  return {
    nowMs: () => timeMs,
    pass(byMs: number) {
      timeMs += byMs
    },
  }
}

test('who keeps the thread for too long is paused with all others, until the next turn', async () => {
  const clock = aClock()
  const turns = openTurns(clock.nowMs)
  const [slow, quick] = [new Socket(), new Socket()]
  assert.equal(turns.mayGoOn(quick), true)
  clock.pass(20)
  assert.equal(turns.mayGoOn(slow), false)
  assert.equal(turns.mayGoOn(quick), false)
  assert.deepEqual([slow.isPaused(), quick.isPaused()], [true, true])
  await nextTurn()
  assert.deepEqual([slow.isPaused(), quick.isPaused()], [false, false])
  assert.equal(turns.mayGoOn(slow), true)
})

test('who has left is neither paused nor resumed', async () => {
  const clock = aClock()
  const turns = openTurns(clock.nowMs)
  const [slow, reading, stopped] = [new Socket(), new Socket(), new Socket()]
  for (const socket of [reading, stopped]) {
    turns.mayGoOn(socket)
    turns.leave(socket)
  }
  stopped.pause()
  clock.pass(20)
  assert.equal(turns.mayGoOn(slow), false)
  assert.equal(reading.isPaused(), false)
  await nextTurn()
  assert.equal(stopped.isPaused(), true)
})
