import type { Machine } from './machine.ts'
import type { Result } from './result.ts'

export type KeptResult = Result & { machine: Machine }

/** By workload: what was measured last on each architecture. */
export type KeptResults = Record<string, KeptResult[]>

/** With the new result in deployment of the one of its workload on the same architecture. */
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
