import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PAGE, pageOf, readSaved } from './page.ts'
import { type SavedResult, saveResult, VERSION } from './result.ts'

function aResult(name: string, architecture: string, rate: number): SavedResult {
  const target = { metric: 'rate', limit: { atLeast: 10 } }
  return {
    name,
    title: `The ${name}`,
    metrics: { rate: { title: 'Received', unit: 'MB/s', better: 'higher' } },
    measurements: [{ name: 'Stowage', metrics: { rate: { median: rate, min: rate, max: rate } } }],
    verdicts: [{ target, value: rate, isMet: rate >= 10 }],
    machine: {
      architecture,
      cpu: `CPU of ${architecture}`,
      cores: 2,
      memoryGigabytes: 25,
      node: '24.0.0',
      at: '2026-11-16',
    },
    source: { commit: '0123456789', version: '0.2.0' },
  }
}

test('a run replaces the results of its architecture and keeps those of others', () => {
  const order = ['parts', 'start']
  let saved = saveResult({}, aResult('start', 'x64', 1), order)
  saved = saveResult(saved, aResult('parts', 'x64', 2), order)
  saved = saveResult(saved, aResult('parts', 'arm64', 3), order)
  saved = saveResult(saved, aResult('parts', 'arm64', 40), order)
  assert.deepEqual(Object.keys(saved), order)
  const rates = (saved.parts ?? []).map(({ machine, measurements }) => [
    machine.architecture,
    measurements[0]?.metrics.rate?.median,
  ])
  assert.deepEqual(rates, [
    ['arm64', 40],
    ['x64', 2],
  ])
})

test('the page shows the machine of every result and verdict', () => {
  const results = { parts: [aResult('parts', 'arm64', 40), aResult('parts', 'x64', 2)] }
  const page = pageOf(results, '0.2.0')
  const [, onArm = '', onX64 = ''] = page.split('\n### ')
  assert.match(
    onArm,
    /^arm64, 2 cores of CPU of arm64, 25 GB, Node 24\.0\.0, 2026-11-16, commit 0123456789/,
  )
  assert.match(onArm, /\| 40 MB\/s \| met \|/)
  assert.match(onArm, /performance\/parts-arm64\.svg/)
  assert.match(onX64, /^x64, 2 cores of CPU of x64/)
  assert.match(onX64, /\| 2 MB\/s \| \*\*MISSED\*\* \|/)
  assert.match(page, /Version 0\.2\.0: 1 of 1 targets are met on arm64, 0 of 1 on x64/)
  assert.doesNotMatch(page, /older version/)
})

test('a result that was measured with an earlier form of the workload has its own heading', () => {
  const earlier = { ...aResult('parts', 'x64', 2), title: 'Large parts' }
  const page = pageOf({ parts: [aResult('parts', 'arm64', 40), earlier] }, '0.2.0')
  assert.match(page, /## The parts\n\n### arm64[^#]+## Large parts\n\n### x64/)
})

test('the page shows whether other programs were running during a measurement', () => {
  const idle = aResult('parts', 'arm64', 40)
  const busy = { ...idle, machine: { ...idle.machine, load: 14 } }
  assert.match(
    pageOf({ parts: [busy] }, '0.2.0'),
    /2026-11-16, commit 0123456789, while other programs were running \(load 14\)/,
  )
  assert.doesNotMatch(pageOf({ parts: [idle] }, '0.2.0'), /other programs were/)
})

test('results of another version and results without a commit are not counted, and come last', () => {
  const { source: _, ...unknown } = aResult('start', 'x64', 40)
  const results = {
    parts: [aResult('parts', 'x64', 40)],
    sessions: [{ ...aResult('sessions', 'x64', 40), source: { commit: 'abc', version: '0.1.0' } }],
    start: [unknown],
  }
  const page = pageOf(results, '0.2.0')
  assert.match(page, /Version 0\.2\.0: 1 of 1 targets are met on x64\./)
  const [current = '', older = ''] = page.split('## Measured on an older version')
  assert.match(current, /## The parts/)
  assert.doesNotMatch(current, /The sessions|The start/)
  assert.match(older, /### The sessions\n\n#### x64[^#]+### The start\n\n#### x64/)
})

test('a new version has no results until it is measured', () => {
  const page = pageOf({ parts: [aResult('parts', 'x64', 40)] }, '0.3.0')
  assert.match(page, /Version 0\.3\.0 has not been measured yet/)
  assert.match(page, /older version[^#]+### The parts/)
})

test('docs/performance.md shows the saved results and the current version', async () => {
  const page = await readFile(PAGE, 'utf8')
  assert.equal(page, pageOf(await readSaved(), VERSION), 'Run npm run bench -- --page')
})
