import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureThroughput } from './file-source.ts'

test('the throughput of all parts together is known when more bytes were sent than fit into system buffers', () => {
  let time = 0
  const throughput = measureThroughput(() => time)
  const stops = [throughput.start(), throughput.start()]
  throughput.sent(10_000_000)
  time = 10
  assert.equal(throughput.isFast(), false)
  throughput.sent(10_000_000)
  assert.equal(throughput.isFast(), true)
  time = 100
  assert.equal(throughput.isFast(), false)
  for (const stop of stops) stop()
})

test('a pause between parts does not count', () => {
  let time = 0
  const throughput = measureThroughput(() => time)
  throughput.start()()
  time = 60_000
  throughput.start()
  throughput.sent(100_000_000)
  time = 60_100
  assert.equal(throughput.isFast(), true)
})
