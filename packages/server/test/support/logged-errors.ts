import assert from 'node:assert/strict'
import type { ServiceProcess } from '@stowage/testing/service/service-process'

/** Every error in the log is one of these, and standard error has no more than the log. */
export function assertLoggedErrors(instance: ServiceProcess, expected: string[] = []): void {
  // Behind the last line break is what a kill cut off.
  const lines = instance.output().stderr.split('\n').slice(0, -1)
  for (const line of lines.filter((one) => !one.startsWith('stowage:'))) {
    assert.match(line, /^\{.*\}$/)
    const { level, err } = JSON.parse(line)
    assert.ok(level < 50 || expected.includes(err?.type), line)
  }
}
