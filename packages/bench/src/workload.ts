/** One piece of work, done by several contenders. */
export interface Workload {
  /** What is done, as a title. */
  title: string
  /** The first one is ours; the others are peers and bare limits. */
  contenders: Contender[]
}

export interface Contender {
  name: string
  /** Does the work once. */
  run(): Promise<void>
}
