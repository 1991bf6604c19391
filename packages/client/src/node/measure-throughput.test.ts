import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchLine } from './measure-throughput.ts'

test('a line is fast by what all parts move together, once it is more than buffers take', () => {
  let time = 0
  const line = watchLine(() => time)
  const leaves = [line.enter(), line.enter()]
  line.moved(10_000_000)
  time = 10
  assert.equal(line.isFast(), false)
  line.moved(10_000_000)
  assert.equal(line.isFast(), true)
  time = 100
  assert.equal(line.isFast(), false)
  for (const leave of leaves) leave()
})

test('a pause between parts says nothing about the line', () => {
  let time = 0
  const line = watchLine(() => time)
  line.enter()()
  time = 60_000
  line.enter()
  line.moved(100_000_000)
  time = 60_100
  assert.equal(line.isFast(), true)
})
