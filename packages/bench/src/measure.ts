import type { Workload } from './workload.ts'

export interface Measurement {
  name: string
  /** Milliseconds. */
  median: number
  fastest: number
  slowest: number
}

/**
 * Runs the contenders in turns, so that whatever else the machine does meets all of them alike. The
 * first round warms up and is dropped.
 */
export async function measure(
  { contenders }: Workload,
  options: { rounds: number; onRound: (round: number) => void },
): Promise<Measurement[]> {
  const times = contenders.map((): number[] => [])
  for (let round = 0; round <= options.rounds; round += 1) {
    options.onRound(round)
    for (const [index, contender] of contenders.entries()) {
      const start = performance.now()
      await contender.run()
      if (round > 0) times[index]?.push(performance.now() - start)
    }
  }
  return contenders.map(({ name }, index) => summary(name, times[index] ?? []))
}

function summary(name: string, times: number[]): Measurement {
  const sorted = times.toSorted((a, b) => a - b)
  return {
    name,
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    fastest: sorted[0] ?? 0,
    slowest: sorted.at(-1) ?? 0,
  }
}
