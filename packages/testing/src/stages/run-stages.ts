import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { installPrograms } from '../machine/programs.ts'
import { COMPILE_CACHE } from './run-tests.ts'

/*
 * Runs test stages, each of which is a script in package.json: the given ones, or all of them.
 *
 *     node packages/testing/src/stages/run-stages.ts check test:core
 */

/** The fastest ones come first. They run one after the other, because each of them uses all CPUs. */
const IN_FOREGROUND = [
  'check',
  'test:sqlite',
  'test:clients',
  'test:dashboard',
  'test:ceph',
  'test:postgres',
]

/** These often wait, for the disk or for an outage, so they run beside the others. */
const IN_BACKGROUND = ['test:image', 'test:many-instances']

const named = process.argv.slice(2)
const stages = named.length > 0 ? named : [...IN_FOREGROUND, ...IN_BACKGROUND]
const WIDTH = Math.max(...stages.map((stage) => stage.length))

interface Outcome {
  stage: string
  seconds: number
  code: number
  lines: string[]
}

/** How many output lines of a failed stage are repeated at the end. */
const REPEATED_LINES = 100

/** Runs stages one after the other. Continues after a failure, so that one run reports all of them. */
async function runAll(waiting: string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const stage of waiting) outcomes.push(await run(stage))
  return outcomes
}

/** Runs a stage and prefixes each line of its output with its name. */
async function run(stage: string): Promise<Outcome> {
  const begin = performance.now()
  const child = spawn('npm', ['run', '--silent', stage], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
    // On Windows, npm is a script that only a shell can start.
    shell: process.platform === 'win32',
  })
  const label = stage.padEnd(WIDTH)
  const lines: string[] = []
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      console.log(`${label} │ ${line}`)
      lines.push(line)
    })
  }
  const [code] = await once(child, 'close')
  return { stage, seconds: (performance.now() - begin) / 1000, code: code ?? 1, lines }
}

/** The summary of failing tests, or all lines if the stage ended before the test runner printed one. */
function failures(lines: string[]): string[] {
  const start = lines.findIndex((line) => line.includes('failing tests:'))
  return start < 0 ? lines : lines.slice(start)
}

// A stage alone installs what it needs. `npm test` installs everything first, because stages run at the same time.
if (named.length === 0) {
  await installPrograms().catch((error: unknown) => {
    // The stages that need them fail with the reason, or are skipped; the others run.
    console.error(`Some programs could not be installed: ${error}`)
  })
}
const isInBackground = (stage: string) => IN_BACKGROUND.includes(stage)
const foreground = runAll(stages.filter((stage) => !isInBackground(stage)))
const background = runAll(stages.filter(isInBackground))
const outcomes = [...(await foreground), ...(await background)]
for (const { stage, lines } of outcomes.filter(({ code }) => code !== 0)) {
  console.log(`\n${stage} failed:\n${failures(lines).slice(-REPEATED_LINES).join('\n')}`)
}
console.log()
for (const { stage, seconds, code } of outcomes) {
  console.log(
    `${code === 0 ? '✔' : '✖'} ${stage.padEnd(WIDTH)} ${seconds.toFixed(0).padStart(4)} s`,
  )
}
process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1
