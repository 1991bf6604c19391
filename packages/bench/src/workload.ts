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

export interface OpenContext extends WorkloadContext {
  /** Runs the clean-up once, even if it is called again, such as after a signal. */
  close(): Promise<void>
}

export function openContext(seconds: number): OpenContext {
  const steps: (() => unknown)[] = []
  let closing: Promise<void> | undefined
  return {
    seconds,
    defer: (step) => steps.push(step),
    async folder() {
      const folder = await mkdtemp(join(tmpdir(), 'stowage-bench-'))
      steps.push(() => rm(folder, { recursive: true, force: true }))
      return folder
    },
    close() {
      closing ??= runAll(steps.toReversed())
      return closing
    },
  }
}

async function runAll(steps: (() => unknown)[]): Promise<void> {
  for (const step of steps) await step()
}

/**
 * Closes the context after a signal and then exits. A program such as `timeout` sends the signal more than once, which
 * must not interrupt the clean-up. Returns a function that ignores signals again.
 */
export function closeOnSignal(context: OpenContext): () => void {
  const stop = () => context.close().finally(() => process.exit(130))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) {
    // A package that the tests use for PostgreSQL would exit immediately.
    process.removeAllListeners(signal)
    process.on(signal, stop)
  }
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}
