import assert from 'node:assert/strict'

const SECOND_US = 1_000_000

/**
 * Fails when the work uses more than a second of CPU time on this thread, which also runs the service.
 * Wall-clock time would include the work of other tests.
 */
export async function withinASecond<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(before)
  const took = user + system
  assert.ok(took < SECOND_US, `it took ${Math.round(took / 1000)} ms`)
  return result
}
