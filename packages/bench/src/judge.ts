import type { Measurement } from './measure.ts'
import type { Target } from './workload.ts'

export interface Verdict {
  target: Target
  /** The median, or its ratio to the median that the target names. Undefined if one of them was not measured. */
  value: number | undefined
  isMet: boolean
}

/** Compares the medians with the targets. */
export function judge(measurements: Measurement[], targets: Target[]): Verdict[] {
  const ours = measurements[0]?.name ?? ''
  const medianOf = (contenderName: string, metric: string) =>
    measurements.find(({ name }) => name === contenderName)?.metrics[metric]?.median
  return targets.map((target) => {
    const { metric, contender = ours, relativeTo, limit } = target
    const measured = medianOf(contender, metric)
    const base = relativeTo
      ? medianOf(relativeTo.contender ?? contender, relativeTo.metric ?? metric)
      : 1
    const value = measured === undefined || base === undefined ? undefined : measured / base
    const isMet =
      value !== undefined && ('atLeast' in limit ? value >= limit.atLeast : value < limit.below)
    return { target, value, isMet }
  })
}
