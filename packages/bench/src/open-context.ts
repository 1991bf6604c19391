import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkloadContext } from './workload.ts'

export interface OpenContext extends WorkloadContext {
  close(): Promise<void>
}

export function openContext(seconds: number): OpenContext {
  const steps: (() => unknown)[] = []
  return {
    seconds,
    defer: (step) => steps.push(step),
    async folder() {
      const folder = await mkdtemp(join(tmpdir(), 'stowage-bench-'))
      steps.push(() => rm(folder, { recursive: true, force: true }))
      return folder
    },
    async close() {
      for (const step of steps.toReversed()) await step()
    },
  }
}
