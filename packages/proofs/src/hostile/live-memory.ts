import assert from 'node:assert/strict'
import { until } from '@stowage/testing/machine/until'
import type { Target } from './target.ts'

/** Caches may grow by this much after the first tenth of a run. More is a leak. */
const MAX_GROWTH = 40_000_000

/** The memory of the service's threads after garbage collection, in bytes. 0 on Windows, which has no SIGUSR2. */
export async function readLiveMemory({ service, hasStorage }: Target): Promise<number> {
  if (process.platform === 'win32') return 0
  const threads = hasStorage ? 2 : 1
  const reports = () => service.output().stdout.match(/^memory .*$/gm) ?? []
  const before = reports().length
  process.kill(service.pid, 'SIGUSR2')
  await until('every thread reports its memory', () => reports().length >= before + threads)
  const latest = reports().slice(before)
  return latest.reduce((sum, line) => sum + JSON.parse(line.slice('memory '.length)).used, 0)
}

/** Fails if the memory in use grows with the number of requests. */
export function checkGrowth(live: number[]): void {
  const growth = (live.at(-1) ?? 0) - (live[0] ?? 0)
  assert.ok(growth < MAX_GROWTH, `the memory in use grew by ${Math.round(growth / 1e6)} MB`)
}
