import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, type Measurement, measure, spreadOf } from './measure.ts'
import type { Target } from './workload.ts'

const onTurn = () => {}

test('contenders run alternately, and the first round is not counted', async () => {
  const turns: string[] = []
  const contender = (name: string, values: number[]) => ({
    name,
    async run() {
      turns.push(name)
      return { time: values.shift() ?? 0 }
    },
  })
  const contenders = [contender('a', [1000, 3, 1, 2]), contender('b', [0, 10, 30, 20])]
  const [a, b] = await measure(contenders, { rounds: 3, onTurn })
  assert.equal(turns.join(''), 'abababab')
  assert.deepEqual(a?.metrics, { time: { median: 2, min: 1, max: 3 } })
  assert.deepEqual(b?.metrics, { time: { median: 20, min: 10, max: 30 } })
})

test('one failure invalidates all results of a contender, but not those of others', async () => {
  let runs = 0
  const failing = {
    name: 'failing',
    async run() {
      runs += 1
      if (runs === 3) throw new Error('1 refusal')
      return { rate: 1 }
    },
  }
  const passing = { name: 'passing', run: async () => ({ rate: 5 }) }
  const measurements = await measure([failing, passing], { rounds: 3, onTurn })
  assert.deepEqual(measurements[0], { name: 'failing', metrics: {}, failure: '1 refusal' })
  assert.equal(measurements[1]?.metrics.rate?.median, 5)
  assert.equal(runs, 3)
})

test('the median of an even number of values is the mean of the two in the middle', () => {
  assert.deepEqual(spreadOf([4, 1, 3, 100]), { median: 3.5, min: 1, max: 100 })
})

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
