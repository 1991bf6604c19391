import { execFile } from 'node:child_process'
import { arch, cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import packageFile from '../../package.json' with { type: 'json' }
import type { Measurement, Verdict } from '../measure.ts'
import type { Metric } from '../workload.ts'

/** The result of one workload. */
export interface Result {
  name: string
  title: string
  metrics: Record<string, Metric>
  measurements: Measurement[]
  verdicts: Verdict[]
}

export type SavedResult = Result & {
  machine: Machine
  /** Missing in results that were saved before commits were recorded. */
  source?: Source
}

/** The code that was measured. */
export interface Source {
  commit: string
  /** The version of Stowage at this commit. */
  version: string
}

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** The version of the working tree. All packages have the same version. */
export const VERSION: string = packageFile.version

/** The code of the working tree. Throws if it is not that of a commit: nobody could measure it again. */
export async function currentSource(): Promise<Source> {
  const git = async (...args: string[]) => (await run('git', ['-C', ROOT, ...args])).stdout.trim()
  // A run writes its results into docs/ while other workloads are still to be measured.
  const changes = await git('status', '--porcelain', '--', '.', ':(exclude)docs')
  if (changes !== '') throw new Error(`Commit these changes first:\n${changes}`)
  return { commit: await git('rev-parse', '--short=10', 'HEAD'), version: VERSION }
}

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

/** The machine that a workload ran on, and when. */
export interface Machine {
  /** Node's name: `x64`, `arm64`. */
  architecture: string
  cpu: string
  cores: number
  memoryGigabytes: number
  node: string
  at: string
  /** The load average before the run, if other programs were running. */
  load?: number
}

/** Above this load average, other programs slow down the measured ones. */
const IDLE = 1

/** Call it before the first workload starts: a workload raises the load average itself. */
export function thisMachine(): Machine {
  const [load = 0] = loadavg()
  return {
    architecture: arch(),
    cpu: cpus()[0]?.model ?? 'unknown processor',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    at: new Date().toISOString().slice(0, 10),
    ...(load > IDLE && { load: Math.round(load) }),
  }
}

export function machineText({ machine, source }: Pick<SavedResult, 'machine' | 'source'>): string {
  const { architecture, cpu, cores, memoryGigabytes, node, at, load } = machine
  const others = load === undefined ? '' : `, while other programs were running (load ${load})`
  const code = source === undefined ? '' : `, commit ${source.commit}`
  return `${architecture}, ${cores} cores of ${cpu}, ${memoryGigabytes} GB, Node ${node}, ${at}${code}${others}`
}
