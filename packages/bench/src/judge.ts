import type { Measurement } from './measure.ts'
import type { Target } from './workload.ts'

export interface Verdict {
  target: Target
  /** The ratio or the measured value, or undefined if one of them was not measured. */
  value: number | undefined
  isMet: boolean
}

/** Compares the medians with the targets. */
export function judge(measurements: Measurement[], targets: Target[]): Verdict[] {
  const ours = measurements[0]?.name ?? ''
  const medianOf = (contender: string, metric: string) =>
    measurements.find(({ name }) => name === contender)?.metrics[metric]?.median
  return targets.map((target) => {
    const { metric, of = ours, times, limit } = target
    const measured = medianOf(of, metric)
    const base = times ? medianOf(times.contender ?? of, times.metric ?? metric) : 1
    const value = measured === undefined || base === undefined ? undefined : measured / base
    const isMet =
      value !== undefined && ('atLeast' in limit ? value >= limit.atLeast : value < limit.below)
    return { target, value, isMet }
  })
}
