import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { tableOf } from './report/format.ts'
import { writePage } from './report/page.ts'
import { type Result, thisMachine } from './report/result.ts'
import { runWorkload } from './run-workload.ts'
import type { Workload } from './workload.ts'

/*
 * Measures Stowage and comparable programs in one run on one machine. Compare ratios, not absolute values.
 *
 *     npm run bench                      all workloads
 *     npm run bench -- presign list      some workloads
 *     npm run bench -- --write           also writes docs/performance.md
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
    process.stderr.write(
      `bench: unknown workload ${unknown.join(', ')}. Workloads: ${WORKLOADS.join(', ')}\n`,
    )
    return 2
  }
  const limits = { rounds: toNumber(values.rounds), seconds: toNumber(values.seconds) }
  const machine = thisMachine()
  const results: Result[] = []
  for (const name of names.length > 0 ? names : WORKLOADS) {
    const { workload }: { workload: Workload } = await import(`${FOLDER}${name}.ts`)
    const result = await runWorkload(name, workload, limits)
    process.stdout.write(`${tableOf(result)}\n`)
    results.push(result)
    if (values.write) await writePage(result, machine, WORKLOADS)
  }
  const hasFailed = ({ measurements }: Result) =>
    measurements.some((it) => it.failure !== undefined)
  return results.some(hasFailed) ? 1 : 0
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

process.exitCode = await run()
