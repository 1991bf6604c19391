import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openContext } from '../workload.ts'
import { addWorktree } from './checkout.ts'
import { compare, comparisonTable, type Pair } from './compare.ts'
import type { HotPath } from './hot-paths.ts'

const run = promisify(execFile)

/** The speed of both checkouts in one round. They need the same CPU time. */
function aPair(theirs: number, ours: number): Pair {
  return { theirs: { value: theirs, cpuSeconds: 1 }, ours: { value: ours, cpuSeconds: 1 } }
}

test('a path that is slower in every round is slower', () => {
  const pairs = [100, 200, 50].map((theirs) => aPair(theirs, theirs * 0.85))
  const { isSlower, speed } = compare(pairs, 'higher')
  assert.equal(isSlower, true)
  assert.deepEqual(speed, { median: 0.85, best: 0.85 })
})

test('a path whose times are longer in every round is slower', () => {
  const pairs = [100, 200, 50].map((theirs) => aPair(theirs, theirs * 1.2))
  assert.equal(compare(pairs, 'lower').isSlower, true)
  assert.equal(compare(pairs, 'higher').isSlower, false)
})

test('a path is not slower if another program disturbed most of its rounds but not the best one', () => {
  const pairs = [60, 70, 99].map((ours) => aPair(100, ours))
  assert.equal(compare(pairs, 'higher').isSlower, false)
})

test('a path is not slower if the machine became faster between two rounds', () => {
  const pairs = [aPair(100, 100), aPair(100, 99), aPair(300, 101)]
  assert.equal(compare(pairs, 'higher').isSlower, false)
})

test('a path that needs more CPU time is slower, unless its speed has improved', () => {
  const withSpeed = (ours: number) => [
    { theirs: { value: 100, cpuSeconds: 1 }, ours: { value: ours, cpuSeconds: 1.25 } },
  ]
  assert.equal(compare(withSpeed(100), 'higher').isSlower, true)
  assert.equal(compare(withSpeed(130), 'higher').isSlower, false)
})

test('a path without a valid result counts as slower', () => {
  assert.equal(compare([], 'higher').isSlower, true)
})

test('the table shows both results, the ratios and the verdict of each path', () => {
  const open = async () => async () => ({ value: 0, cpuSeconds: 0 })
  const path: HotPath = { name: 'start', unit: 'ms', better: 'lower', open }
  const rows = [
    { path, rounds: 1, comparison: compare([aPair(100, 200)], 'lower') },
    { path, rounds: 0, comparison: undefined, failure: 'it did not start' },
  ]
  const [head, first, second] = comparisonTable(rows, 'v0.2.0').split('\n')
  assert.match(head ?? '', /v0\.2\.0 +working tree +speed +best +CPU/)
  assert.match(first ?? '', /start +100 +200 +ms +0\.50 +0\.50 +1\.00 +1\.00 +1 +SLOWER than 0\.9$/)
  assert.match(second ?? '', /NOT MEASURED: it did not start$/)
})

test('a commit is checked out with its own workspaces and removed afterwards', async () => {
  const context = openContext(1)
  let folder = ''
  try {
    folder = await realpath(await addWorktree(context, 'HEAD'))
    const server = await realpath(join(folder, 'node_modules/@stowage/server'))
    assert.equal(server, join(folder, 'packages/server'))
    // The other packages are those of the working tree.
    assert.ok((await lstat(join(folder, 'node_modules/fastify'))).isSymbolicLink())
  } finally {
    await context.close()
  }
  await assert.rejects(lstat(folder))
  const { stdout } = await run('git', ['worktree', 'list'], { cwd: import.meta.dirname })
  assert.ok(!stdout.includes(folder))
})

test('a name that is not a commit is refused', async () => {
  const context = openContext(1)
  await assert.rejects(addWorktree(context, 'no-such-commit'), /not a commit/)
  await context.close()
})
