import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './checksums.ts'

const NEVER = new AbortController().signal

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

test('all callers together stay within the rate, which is lower while the storage is busy', async () => {
  let busy = false
  const pace = createPace({ idle: 1e6, busy: 1e5 }, () => busy)
  const read = (total: number) => async () => {
    for (let bytes = 0; bytes < total; bytes += 2_000)
      await Promise.all([1, 2].map(() => pace(1_000, NEVER)))
  }
  // A burst of 50 ms is allowed.
  assert.ok((await timeOf(read(200_000))) > 140)
  busy = true
  assert.ok((await timeOf(read(20_000))) > 140)
})

test('an abort ends the wait', async () => {
  const stop = new AbortController()
  const pace = createPace({ idle: 1, busy: 1 }, () => false)
  const waiting = pace(1e9, stop.signal)
  stop.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  await assert.rejects(pace(0, stop.signal), { name: 'AbortError' })
})
