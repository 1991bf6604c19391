import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scene } from './workload.ts'

export interface OpenScene extends Scene {
  close(): Promise<void>
}

export function openScene(seconds: number): OpenScene {
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
