import type { Machine } from './machine.ts'
import type { Result } from './result.ts'

export type KeptResult = Result & { machine: Machine }

/** The latest result for each workload and architecture. */
export type KeptResults = Record<string, KeptResult[]>

/** Replaces the result of the same workload and architecture. */
export function keepResult(kept: KeptResults, result: KeptResult, order: string[]): KeptResults {
  const { architecture } = result.machine
  const others = (kept[result.name] ?? []).filter(
    ({ machine }) => machine.architecture !== architecture,
  )
  const ofWorkload = [...others, result].sort((a, b) =>
    a.machine.architecture < b.machine.architecture ? -1 : 1,
  )
  const all: KeptResults = { ...kept, [result.name]: ofWorkload }
  return Object.fromEntries(
    order.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  )
}
