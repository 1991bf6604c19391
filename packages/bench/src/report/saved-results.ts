import type { Machine } from './machine.ts'
import type { Result } from './result.ts'

export type SavedResult = Result & { machine: Machine }

/** The latest result for each workload and architecture. */
export type SavedResults = Record<string, SavedResult[]>

/** Replaces the result of the same workload and architecture. */
export function saveResult(
  saved: SavedResults,
  result: SavedResult,
  order: string[],
): SavedResults {
  const { architecture } = result.machine
  const others = (saved[result.name] ?? []).filter(
    ({ machine }) => machine.architecture !== architecture,
  )
  const ofWorkload = [...others, result].sort((a, b) =>
    a.machine.architecture < b.machine.architecture ? -1 : 1,
  )
  const all: SavedResults = { ...saved, [result.name]: ofWorkload }
  return Object.fromEntries(
    order.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  )
}
