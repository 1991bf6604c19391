import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPace } from './pace.ts'

const NEVER = new AbortController().signal

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

test('all callers together stay within the rate, which is lower while the storage is busy', async () => {
  let busy = false
  const pace = openPace({ idle: 1e6, busy: 1e5 }, { isBusy: () => busy, signal: NEVER })
  const read = (total: number) => async () => {
    for (let bytes = 0; bytes < total; bytes += 2_000) await Promise.all([pace(1_000), pace(1_000)])
  }
  // A burst of 50 ms is allowed.
  assert.ok((await timeOf(read(200_000))) > 140)
  busy = true
  assert.ok((await timeOf(read(20_000))) > 140)
})

test('an abort ends the wait', async () => {
  const stop = new AbortController()
  const pace = openPace({ idle: 1, busy: 1 }, { isBusy: () => false, signal: stop.signal })
  const waiting = pace(1e9)
  stop.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  await assert.rejects(pace(0), { name: 'AbortError' })
})
