import assert from 'node:assert/strict'
import type { ServiceProcess } from '@stowage/testing/service/service-process'

/** Fails unless every logged error has one of these types. All of stderr must be log lines in JSON. */
export function assertLoggedErrors(instance: ServiceProcess, expected: string[] = []): void {
  // The text after the last line break may be a line that a kill cut off.
  const lines = instance.output().stderr.split('\n').slice(0, -1)
  for (const line of lines) {
    assert.match(line, /^\{.*\}$/)
    const { level, err } = JSON.parse(line)
    assert.ok(level < 50 || expected.includes(err?.type), line)
  }
}
