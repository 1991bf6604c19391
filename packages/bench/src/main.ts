import { measure } from './measure.ts'
import type { Workload } from './workload.ts'
import { presign } from './workloads/presign.ts'

/*
 * Speed beside others, in one run on one machine: ratios are what counts.
 *
 *     npm run bench                 all of them
 *     npm run bench -- presign      one of them
 */
const WORKLOADS: Record<string, () => Workload> = { presign }
const ROUNDS = 5

async function run(names: string[]): Promise<number> {
  const unknown = names.filter((name) => !Object.hasOwn(WORKLOADS, name))
  if (unknown.length > 0) {
    process.stderr.write(`bench: no ${unknown}; there is ${Object.keys(WORKLOADS).join(', ')}\n`)
    return 2
  }
  for (const name of names.length > 0 ? names : Object.keys(WORKLOADS)) {
    const workload = WORKLOADS[name]?.()
    if (workload !== undefined) await runOne(name, workload)
  }
  return 0
}

async function runOne(name: string, workload: Workload): Promise<void> {
  const onRound = (round: number) => process.stderr.write(`\r${name}: round ${round} of ${ROUNDS} `)
  const measurements = await measure(workload, { rounds: ROUNDS, onRound })
  process.stderr.write('\r\u001b[2K')
  const ours = measurements[0]?.median ?? 1
  const lines = measurements.map(({ name: contender, median, fastest, slowest }) => {
    const ratio = (median / ours).toFixed(2)
    const spread = `${fastest.toFixed(1)} to ${slowest.toFixed(1)} ms`
    return `  ${contender.padEnd(24)}${median.toFixed(1).padStart(10)} ms   ${spread.padEnd(26)}${ratio.padStart(8)} times ours`
  })
  process.stdout.write(`${workload.title}\n${lines.join('\n')}\n`)
}

process.exitCode = await run(process.argv.slice(2))
