import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { judge } from './judge.ts'
import { measure } from './measure.ts'
import { progress } from './progress.ts'
import type { Result } from './report/result.ts'
import { tableOf } from './report/table.ts'
import { writePage } from './report/write-page.ts'
import { openScene } from './scene.ts'
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

const ROUNDS = 3
const SECONDS = 1

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
  const effort = { rounds: values.rounds, seconds: values.seconds }
  const results: Result[] = []
  for (const name of names.length > 0 ? names : WORKLOADS) {
    const result = await runOne(name, effort)
    process.stdout.write(`${tableOf(result)}\n`)
    results.push(result)
  }
  if (values.write) await writePage(results, WORKLOADS)
  const isVoid = ({ measurements }: Result) => measurements.some((it) => it.void !== undefined)
  return results.some(isVoid) ? 1 : 0
}

/** What the command line says goes before what the workload says. */
interface Effort {
  rounds: string | undefined
  seconds: string | undefined
}

async function runOne(name: string, effort: Effort): Promise<Result> {
  const { workload }: { workload: Workload } = await import(`${FOLDER}${name}.ts`)
  const { title, figures, targets } = workload
  const rounds = Number(effort.rounds ?? workload.rounds ?? ROUNDS)
  const scene = openScene(Number(effort.seconds ?? workload.seconds ?? SECONDS))
  try {
    progress(`${name}: opening`)
    const contenders = await workload.open(scene)
    const measurements = await measure(contenders, {
      rounds,
      onTurn: (round, contender) => progress(`${name}: round ${round} of ${rounds}, ${contender}`),
    })
    return { name, title, figures, measurements, verdicts: judge(measurements, targets) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : `${error}`
    const measurements = [{ name: 'nothing', figures: {}, void: reason }]
    return { name, title, figures, measurements, verdicts: judge([], targets) }
  } finally {
    await scene.close()
    progress('')
  }
}

process.exitCode = await run()
