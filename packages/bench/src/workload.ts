/** One task that several programs perform in one run. Each file of `workloads/` exports one. */
export interface Workload {
  title: string
  /** The metrics, in the order of the report. */
  metrics: Record<string, Metric>
  targets: Target[]
  /** The number of counted rounds and the duration of each load, if not the default. */
  rounds?: number
  seconds?: number
  /** Starts all contenders, Stowage first. Registers the clean-up with `context.defer`. */
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
 * A limit for a metric of the contender `of`, by default Stowage. With `times`, the limit is a ratio to
 * another contender, another metric, or both. Without, it is absolute.
 */
export interface Target {
  metric: string
  of?: string
  limit: { atLeast: number } | { below: number }
  times?: { contender?: string; metric?: string }
  /** The cause, according to a profile. Shown if the target is missed. */
  reason?: string
}

/** The interface of the runner for a workload. */
export interface WorkloadContext {
  /** The duration of each load. */
  seconds: number
  /** Runs the step after the workload, in reverse order. */
  defer(step: () => unknown): void
  /** Creates a folder on a real disk, which is removed after the workload. */
  folder(): Promise<string>
}
