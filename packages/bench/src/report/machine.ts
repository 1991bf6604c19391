import { arch, cpus, loadavg, totalmem } from 'node:os'

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

export function machineText(machine: Machine): string {
  const { architecture, cpu, cores, memoryGigabytes, node, at, load } = machine
  const others = load === undefined ? '' : `, while other programs were running (load ${load})`
  return `${architecture}, ${cores} cores of ${cpu}, ${memoryGigabytes} GB, Node ${node}, ${at}${others}`
}
