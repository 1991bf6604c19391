import { readFile } from 'node:fs/promises'
import { readMemory } from '@stowage/testing/machine/memory-watch'

/** The unit of /proc/PID/stat: `getconf CLK_TCK`. */
const TICKS_PER_SECOND = 100

export interface Usage {
  cpuSeconds: number
  /** The maximum resident set size, in MB. */
  peakMegabytes: number
}

/**
 * Runs the work. Returns the CPU time of the processes during the work, and their peak memory since they started, both
 * summed over all processes.
 */
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

/** CPU time of a process with all its threads, including those that have exited. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain spaces and parentheses, so fields are counted from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTime, systemTime] = [fields[11], fields[12]]
  return (Number(userTime) + Number(systemTime)) / TICKS_PER_SECOND
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
