import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from './progress.ts'

function aMeter(total: number, parts: number, received: [number, number][] = []) {
  let now = 0
  const meter = createMeter(() => now)
  meter.begin({ total, parts, received: new Map(received) })
  const pass = (ms: number) => {
    now += ms
  }
  return { meter, pass }
}

test('the number of bytes includes stored parts and bytes in transit', () => {
  const { meter } = aMeter(100, 4, [[1, 25]])
  meter.sent(2, 10)
  meter.sent(3, 5)
  assert.equal(meter.read().bytes, 40)
  assert.deepEqual(meter.read().parts, { done: 1, total: 4 })
  meter.done(2, 25)
  assert.equal(meter.read().bytes, 55)
  assert.deepEqual(meter.read().parts, { done: 2, total: 4 })
})

test('the number of bytes does not decrease while a failed part is sent again', () => {
  const { meter } = aMeter(100, 4)
  meter.sent(1, 20)
  assert.equal(meter.read().bytes, 20)
  meter.failed(1)
  meter.sent(1, 5)
  assert.equal(meter.read().bytes, 20)
  meter.sent(1, 25)
  assert.equal(meter.read().bytes, 25)
})

test('the rate covers the last seconds, and the remaining time follows from it', () => {
  const { meter, pass } = aMeter(100_000, 1)
  assert.equal(meter.read().secondsLeft, undefined)
  for (let second = 1; second <= 20; second += 1) {
    pass(1000)
    meter.sent(1, second * 1000)
  }
  assert.equal(Math.round(meter.read().rate), 1000)
  assert.equal(Math.round(meter.read().secondsLeft ?? 0), 80)
  for (let second = 1; second <= 10; second += 1) {
    pass(1000)
    meter.sent(1, 20_000 + second * 4000)
  }
  assert.equal(Math.round(meter.read().rate), 4000)
})

test('parts that were already stored do not count toward the rate', () => {
  const { meter, pass } = aMeter(2000, 2, [[1, 1000]])
  pass(1000)
  meter.sent(2, 500)
  assert.equal(meter.read().rate, 500)
  assert.equal(meter.read().secondsLeft, 1)
})

test('at the end, all bytes and parts are counted', () => {
  const { meter } = aMeter(100, 4)
  meter.end()
  const { bytes, parts } = meter.read()
  assert.deepEqual({ bytes, parts }, { bytes: 100, parts: { done: 4, total: 4 } })
})
