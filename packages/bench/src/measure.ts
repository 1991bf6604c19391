import type { Contender, Target } from './workload.ts'

export interface Spread {
  median: number
  min: number
  max: number
}

export interface Measurement {
  name: string
  metrics: Record<string, Spread>
  /** The error, if the contender failed. `metrics` is then empty. */
  failure?: string
}

/**
 * Runs the contenders alternately, so that other load on the machine affects all of them equally. The
 * first round is a warm-up and not counted. A contender that fails once has no results.
 */
export async function measure(
  contenders: Contender[],
  options: { rounds: number; onTurn: (round: number, name: string) => void },
): Promise<Measurement[]> {
  const runs = new Map(contenders.map(({ name }) => [name, [] as Record<string, number>[]]))
  const failures = new Map<string, string>()
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const { name, run } of contenders) {
      if (failures.has(name)) continue
      options.onTurn(round, name)
      try {
        const metrics = await run()
        if (round > 0) runs.get(name)?.push(metrics)
      } catch (error) {
        failures.set(name, error instanceof Error ? error.message : `${error}`)
      }
    }
  }
  return contenders.map(({ name }) => {
    const failure = failures.get(name)
    if (failure !== undefined) return { name, metrics: {}, failure }
    return { name, metrics: summary(runs.get(name) ?? []) }
  })
}

function summary(runs: Record<string, number>[]): Record<string, Spread> {
  const names = new Set(runs.flatMap((run) => Object.keys(run)))
  const valuesOf = (name: string) => runs.map((run) => run[name]).filter((it) => it !== undefined)
  return Object.fromEntries([...names].map((name) => [name, spreadOf(valuesOf(name))]))
}

export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
  return { median, min: at(0), max: at(sorted.length - 1) }
}

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

/** Measures the duration of the work in milliseconds, as the metric `time`. */
export async function timed(work: () => Promise<void> | void): Promise<{ time: number }> {
  const start = performance.now()
  await work()
  return { time: performance.now() - start }
}
