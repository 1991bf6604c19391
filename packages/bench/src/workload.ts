import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One task that one or more programs perform in one run. Each file of `workloads/` exports one. */
export interface Workload {
  title: string
  /** The metrics, in the order of the report. */
  metrics: Record<string, Metric>
  targets: Target[]
  /** The number of counted rounds and the duration of each load, if not the default. */
  rounds?: number
  seconds?: number
  /** Starts all contenders and returns them, Stowage first. Registers the clean-up with `context.defer`. */
  open(context: WorkloadContext): Promise<Contender[]>
}

export interface Metric {
  title: string
  unit: string
  better: 'higher' | 'lower'
}

/** A program that is compared with others. */
export interface Contender {
  name: string
  /** Runs the task once. May omit metrics. Throws if any response is wrong. */
  run(): Promise<Record<string, number>>
}

/**
 * A limit for a metric of a contender, by default Stowage. With `relativeTo`, the limit applies to a ratio: the
 * metric divided by that of another contender, by another metric of the same contender, or by another metric of
 * another contender. Without it, the limit applies to the metric itself.
 */
export interface Target {
  metric: string
  contender?: string
  limit: { atLeast: number } | { below: number }
  relativeTo?: { contender?: string; metric?: string }
  /** Why the target is missed, according to a profile. Shown only if it is missed. */
  reason?: string
}

/** The functions and settings that the runner passes to a workload. */
export interface WorkloadContext {
  /** The duration of each load. */
  seconds: number
  /** Registers a clean-up step. All steps run after the workload, in reverse order. */
  defer(step: () => unknown): void
  /** Creates a temporary folder, which is removed after the workload. */
  folder(): Promise<string>
}

interface OpenContext extends WorkloadContext {
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
