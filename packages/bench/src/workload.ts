/** One piece of work, done by several contenders in one run. Each file of `workloads/` exports one. */
export interface Workload {
  /** What is done, as a title. */
  title: string
  /** What is looked at, in the order of the report. */
  figures: Record<string, Figure>
  /** What we hold ourselves to. */
  targets: Target[]
  /** How many rounds are counted and how long each load lasts, where the usual is not enough. */
  rounds?: number
  seconds?: number
  /** Opens all that is compared, ours first. What is opened is handed to `context` to be closed. */
  open(context: WorkloadContext): Promise<Contender[]>
}

export interface Figure {
  title: string
  unit: string
  better: 'more' | 'less'
}

export interface Contender {
  name: string
  /** Does the work once. A contender need not have every figure. Throws when any answer is wrong. */
  run(): Promise<Record<string, number>>
}

/**
 * `of` is ours unless it says otherwise, and `times` what it is compared with: another contender, or
 * another figure, or both. Without `times` the limit is a figure by itself.
 */
export interface Target {
  figure: string
  of?: string
  limit: { atLeast: number } | { below: number }
  times?: { contender?: string; figure?: string }
  /** What a profile shows of it, said where it is missed. */
  reason?: string
}

/** Where a workload takes deployment. */
export interface WorkloadContext {
  /** How long each load lasts. */
  seconds: number
  /** Runs when the workload is over, last added first. */
  defer(step: () => unknown): void
  /** A folder on a real disk, which is removed in the end. */
  folder(): Promise<string>
}
