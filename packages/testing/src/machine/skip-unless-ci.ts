import type { TestContext } from 'node:test'

/** Skips a test that this machine cannot run, and prints the reason. With CI=true it fails instead. */
export function skipUnlessCi(t: TestContext, reason: string): void {
  if (process.env.CI === 'true') throw new Error(reason)
  t.skip(reason)
}
