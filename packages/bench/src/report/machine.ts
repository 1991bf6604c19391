import { arch, cpus, totalmem } from 'node:os'

/** The machine that a workload ran on, and when. */
export interface Machine {
  /** Node's name: `x64`, `arm64`. */
  architecture: string
  cpu: string
  cores: number
  memoryGigabytes: number
  node: string
  at: string
}

export function thisMachine(): Machine {
  return {
    architecture: arch(),
    cpu: cpus()[0]?.model ?? 'unknown processor',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    at: new Date().toISOString().slice(0, 10),
  }
}

export function machineText(machine: Machine): string {
  const { architecture, cpu, cores, memoryGigabytes, node, at } = machine
  return `${architecture}, ${cores} cores of ${cpu}, ${memoryGigabytes} GB, Node ${node}, ${at}`
}
