import type { Verdict } from '../judge.ts'
import type { Measurement } from '../measure.ts'
import type { Figure } from '../workload.ts'

/** The result of one workload. */
export interface Result {
  name: string
  title: string
  figures: Record<string, Figure>
  measurements: Measurement[]
  verdicts: Verdict[]
}
