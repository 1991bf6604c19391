import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace, type Pace } from './concurrency-limit.ts'

/** A pace, and a clock of its own that bytes move by. */
function aPace(asked?: number) {
  let now = 0
  const pace = createPace(asked, () => now)
  /** A line whose rate depends on how many parts are on the way. */
  function run(seconds: number, rateOf: (limit: number) => number): void {
    for (let step = 0; step < seconds * 10; step += 1) {
      now += 100
      pace.moved(rateOf(pace.limit()) / 10, true)
    }
  }
  return { pace, run }
}

function arriveOften(pace: Pace): void {
  for (let count = 0; count < 20; count += 1) pace.arrived()
}

test('a line that gets faster with more parts gets more, up to twelve', () => {
  const { pace, run } = aPace()
  assert.equal(pace.limit(), 4)
  run(30, (limit) => limit * 1e6)
  assert.equal(pace.limit(), 12)
})

test('a line that gets no faster stays with four, and is tried ever more seldom', () => {
  const { pace, run } = aPace()
  let triedSeconds = 0
  for (let second = 0; second < 600; second += 1) {
    run(1, () => 10e6)
    if (pace.limit() > 4) triedSeconds += 1
  }
  assert.ok(triedSeconds > 0 && triedSeconds < 40, `${triedSeconds} s of 600`)
})

test('failures halve it, those at once only once, and it comes back with what arrives', () => {
  const { pace, run } = aPace()
  run(1, () => 1)
  pace.failed()
  pace.failed()
  pace.failed()
  assert.equal(pace.limit(), 2)
  run(5, () => 1)
  pace.failed()
  assert.equal(pace.limit(), 1)
  arriveOften(pace)
  assert.equal(pace.limit(), 1)
  run(5, () => 1)
  arriveOften(pace)
  assert.equal(pace.limit(), 4)
})

test('a number that was asked for is not exceeded', () => {
  const { pace, run } = aPace(2)
  run(60, (limit) => limit * 1e6)
  assert.equal(pace.limit(), 2)
})

test('parts count for more, the more of their file they are', () => {
  const { pace } = aPace()
  assert.equal(pace.weigh(5_000_000, 5_000_000), 1)
  assert.equal(pace.weigh(8_000_000, 100_000_000), 1)
  assert.equal(pace.weigh(100_000_000, 2_000_000_000), 3)
  assert.equal(pace.weigh(100_000_000, 40_000_000_000), 1)
})
