import type { TestContext } from 'node:test'

/** For what this machine lacks: the test is skipped with the reason, and under CI=true it fails. */
export function skipUnlessCi(t: TestContext, reason: string): void {
  if (process.env.CI === 'true') throw new Error(reason)
  t.skip(reason)
}
