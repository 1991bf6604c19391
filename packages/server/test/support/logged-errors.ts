import assert from 'node:assert/strict'
import type { ServiceProcess } from './process.ts'

/** Every error in the log is one of these, and standard error has no more than the log. */
export function assertLoggedErrors(instance: ServiceProcess, expected: string[] = []): void {
  const { stderr } = instance.output()
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('stowage:'))
  for (const line of lines) {
    assert.match(line, /^\{.*\}$/)
    const { level, err } = JSON.parse(line)
    assert.ok(level < 50 || expected.includes(err?.type), line)
  }
}
