import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './judge.ts'
import type { Measurement } from './measure.ts'
import type { Target } from './workload.ts'

function measured(name: string, medians: Record<string, number>): Measurement {
  const spreads = Object.entries(medians).map(([metric, median]) => {
    return [metric, { median, min: median, max: median }]
  })
  return { name, metrics: Object.fromEntries(spreads) }
}

const measurements = [
  measured('ours', { rate: 90, last: 30, time: 1 }),
  measured('other', { rate: 100, time: 2 }),
]

function verdictOn(target: Target) {
  const [verdict] = judge(measurements, [target])
  return { value: verdict?.value, isMet: verdict?.isMet }
}

test('a target can compare a metric with that of another contender', () => {
  const target = { metric: 'rate', relativeTo: { contender: 'other' } }
  assert.deepEqual(verdictOn({ ...target, limit: { atLeast: 0.9 } }), { value: 0.9, isMet: true })
  assert.deepEqual(verdictOn({ ...target, limit: { atLeast: 1 } }), { value: 0.9, isMet: false })
})

test('a target can compare two metrics of the same contender', () => {
  const target = { metric: 'last', limit: { atLeast: 0.5 }, relativeTo: { metric: 'rate' } }
  assert.deepEqual(verdictOn(target), { value: 30 / 90, isMet: false })
})

test('a target without comparison has an absolute limit', () => {
  assert.deepEqual(verdictOn({ metric: 'time', limit: { below: 1 } }), { value: 1, isMet: false })
  const target = { metric: 'time', contender: 'other', limit: { below: 3 } }
  assert.deepEqual(verdictOn(target), { value: 2, isMet: true })
})

test('a target that was not measured is not met', () => {
  const target = {
    metric: 'rate',
    limit: { atLeast: 0 },
    relativeTo: { contender: 'not measured' },
  }
  assert.deepEqual(verdictOn(target), { value: undefined, isMet: false })
})
