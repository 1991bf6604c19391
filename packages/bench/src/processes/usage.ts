import { readFile } from 'node:fs/promises'
import { readMemory } from '@stowage/testing/machine/memory-watch'

/** Linux counts in these, whatever its kernel does: `getconf CLK_TCK`. */
const TICKS_A_SECOND = 100

export interface Usage {
  cpuSeconds: number
  /** The most that was ever resident, in MB. */
  peakMegabytes: number
}

/** Does the work, and tells what it cost the processes; of several, the sum. */
export async function watchUsage<Result>(
  pids: number[],
  work: () => Promise<Result>,
): Promise<Usage & { result: Result }> {
  const before = await cpuSecondsOf(pids)
  const result = await work()
  const cpuSeconds = (await cpuSecondsOf(pids)) - before
  const peaks = await Promise.all(pids.map((pid) => readMemory(pid, 'VmHWM')))
  return { result, cpuSeconds, peakMegabytes: sum(peaks) / 1e6 }
}

async function cpuSecondsOf(pids: number[]): Promise<number> {
  return sum(await Promise.all(pids.map(readCpuSeconds)))
}

/** Of the process with all its threads, those that have ended too. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name is in brackets, and may have both spaces and brackets: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTime, systemTime] = [fields[11], fields[12]]
  return (Number(userTime) + Number(systemTime)) / TICKS_A_SECOND
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
