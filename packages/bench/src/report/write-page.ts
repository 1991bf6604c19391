import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { chartName, chartOf } from './chart.ts'
import type { Machine } from './machine.ts'
import { pageOf } from './page.ts'
import type { Result } from './result.ts'
import { type SavedResults, saveResult } from './saved-results.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)
const CHARTS = new URL('performance/', DOCS)
const SAVED = new URL('results.json', CHARTS)

/** Writes docs/performance.md and its charts. Keeps the results of other workloads and architectures. */
export async function writePage(result: Result, machine: Machine, order: string[]): Promise<void> {
  await mkdir(CHARTS, { recursive: true })
  const saved: SavedResults = JSON.parse(await readFile(SAVED, 'utf8').catch(() => '{}'))
  const measured = { ...result, machine }
  const all = saveResult(saved, measured, order)
  await writeFile(new URL(chartName(measured), CHARTS), chartOf(result))
  await writeFile(SAVED, `${JSON.stringify(all, null, 2)}\n`)
  await writeFile(new URL('performance.md', DOCS), pageOf(all))
}
