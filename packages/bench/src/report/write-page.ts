import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { chartOf } from './chart.ts'
import { type Machine, pageOf } from './page.ts'
import type { Result } from './result.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)
const CHARTS = new URL('performance/', DOCS)
const KEPT = new URL('results.json', CHARTS)

type Kept = Record<string, Result & { machine: Machine }>

/** Workloads that did not run keep what they last measured. */
export async function writePage(result: Result, order: string[]): Promise<void> {
  await mkdir(CHARTS, { recursive: true })
  const kept: Kept = JSON.parse(await readFile(KEPT, 'utf8').catch(() => '{}'))
  kept[result.name] = { ...result, machine: thisMachine() }
  const all = order.flatMap((name) => kept[name] ?? [])
  await writeFile(new URL(`${result.name}.svg`, CHARTS), chartOf(result))
  const sorted = Object.fromEntries(all.map((one) => [one.name, one]))
  await writeFile(KEPT, `${JSON.stringify(sorted, null, 2)}\n`)
  await writeFile(new URL('performance.md', DOCS), pageOf(all))
}

function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'an unknown processor',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    at: new Date().toISOString().slice(0, 10),
  }
}
