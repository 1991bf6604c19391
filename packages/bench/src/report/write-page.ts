import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { chartName, chartOf } from './chart.ts'
import { type KeptResults, keepResult } from './kept-results.ts'
import { thisMachine } from './machine.ts'
import { pageOf } from './page.ts'
import type { Result } from './result.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)
const CHARTS = new URL('performance/', DOCS)
const KEPT = new URL('results.json', CHARTS)

/** Keeps the latest results of other workloads and architectures. */
export async function writePage(result: Result, order: string[]): Promise<void> {
  await mkdir(CHARTS, { recursive: true })
  const kept: KeptResults = JSON.parse(await readFile(KEPT, 'utf8').catch(() => '{}'))
  const measured = { ...result, machine: thisMachine() }
  const all = keepResult(kept, measured, order)
  await writeFile(new URL(chartName(measured), CHARTS), chartOf(result))
  await writeFile(KEPT, `${JSON.stringify(all, null, 2)}\n`)
  await writeFile(new URL('performance.md', DOCS), pageOf(all))
}
