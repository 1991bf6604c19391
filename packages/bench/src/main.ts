import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Result } from './report/result.ts'
import { tableOf } from './report/table.ts'
import { writePage } from './report/write-page.ts'
import { runWorkload } from './run-workload.ts'
import type { Workload } from './workload.ts'

/*
 * Speed beside others, in one run on one machine: ratios are what counts.
 *
 *     npm run bench                      all of them
 *     npm run bench -- presign list      some of them
 *     npm run bench -- --write           and docs/performance.md
 *     npm run bench -- --rounds 5 --seconds 3
 */
const FOLDER = new URL('./workloads/', import.meta.url)
const WORKLOADS = readdirSync(FOLDER)
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()

async function run(): Promise<number> {
  const { positionals: names, values } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const unknown = names.filter((name) => !WORKLOADS.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`bench: no ${unknown.join(', ')}; there is ${WORKLOADS.join(', ')}\n`)
    return 2
  }
  const effort = { rounds: toNumber(values.rounds), seconds: toNumber(values.seconds) }
  const results: Result[] = []
  for (const name of names.length > 0 ? names : WORKLOADS) {
    const { workload }: { workload: Workload } = await import(`${FOLDER}${name}.ts`)
    const result = await runWorkload(name, workload, effort)
    process.stdout.write(`${tableOf(result)}\n`)
    results.push(result)
    if (values.write) await writePage(result, WORKLOADS)
  }
  const isVoid = ({ measurements }: Result) => measurements.some((it) => it.void !== undefined)
  return results.some(isVoid) ? 1 : 0
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

process.exitCode = await run()
