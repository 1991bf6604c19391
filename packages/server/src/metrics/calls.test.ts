import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCalls } from './calls.ts'

function aWatch() {
  let now = 0
  const lines: string[] = []
  const note = (_facts: object, message: string) => void lines.push(message)
  const watch = watchCalls({ warn: note, inform: note, now: () => now })
  const wait = (seconds: number) => {
    now += seconds * 1000
  }
  return {
    watch,
    lines,
    wait,
    callFor(seconds: number, method = 'listAssets') {
      const call = watch.begin('database', method)
      wait(seconds)
      watch.end(call)
    },
  }
}

test('slow calls are logged once a minute, and once when they are over', () => {
  const { lines, callFor, wait } = aWatch()
  for (let index = 0; index < 5; index += 1) callFor(3)
  assert.deepEqual(lines, ['a call of the database was slow'])
  wait(50)
  callFor(3)
  assert.equal(lines.length, 2)
  callFor(0.1)
  assert.equal(lines.length, 2)
  wait(61)
  callFor(0.1)
  assert.equal(lines[2], 'calls of the database are no longer slow')
  callFor(0.1)
  assert.equal(lines.length, 3)
})

test('an engine is slow after three slow calls within a minute, until the minute is over', () => {
  const { watch, callFor, wait } = aWatch()
  callFor(3)
  callFor(3)
  assert.deepEqual(watch.listSlow(), [])
  callFor(4)
  assert.deepEqual(watch.listSlow(), [
    { engine: 'database', text: 'the database is slow: listAssets took 4.0 s' },
  ])
  wait(60)
  assert.deepEqual(watch.listSlow(), [])
})

test('a call that has not ended makes its engine slow', () => {
  const { watch, wait } = aWatch()
  watch.begin('database', 'readClock')
  wait(1)
  const signing = watch.begin('storage', 'signParts')
  wait(1.5)
  assert.deepEqual(watch.listSlow(), [
    { engine: 'database', text: 'the database is slow: readClock has been running for 2.5 s' },
  ])
  watch.end(signing)
})

test('calls whose time depends on the size of a file have longer', () => {
  const { watch, callFor, lines } = aWatch()
  for (let index = 0; index < 3; index += 1) callFor(30, 'completeUpload')
  assert.deepEqual([watch.listSlow(), lines], [[], []])
  callFor(61, 'completeUpload')
  assert.equal(lines.length, 1)
})
