import type { Verdict } from '../judge.ts'
import type { Measurement } from '../measure.ts'
import type { Metric } from '../workload.ts'

/** The result of one workload. */
export interface Result {
  name: string
  title: string
  metrics: Record<string, Metric>
  measurements: Measurement[]
  verdicts: Verdict[]
}
