import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { COMPILE_CACHE } from './run-tests.ts'

/*
 * Runs test stages, each of which is a script in package.json: the given ones, or all of them.
 *
 *     node packages/testing/src/stages/run-stages.ts check test:core
 */

/**
 * The fastest check runs first, then the longest stages, so that all workers finish at about the same time.
 * `test:many-instances` mostly waits, so it runs beside stages that use the CPU.
 */
const ALL_STAGES = [
  'check',
  'test:sqlite',
  'test:clients',
  'test:dashboard',
  'test:many-instances',
  'test:ceph',
  'test:postgres',
  'test:image',
]

/**
 * The number of stages that run at the same time. Each stage sometimes waits, for an outage, for the disk
 * or for kills, and the other stage uses the CPU meanwhile.
 */
const WORKERS = 2

/** Runs at the same time as all other stages. Most of its work is the build of the image, at low priority. */
const IN_BACKGROUND = 'test:image'

const named = process.argv.slice(2)
const stages = named.length > 0 ? named : ALL_STAGES
const WIDTH = Math.max(...stages.map((stage) => stage.length))

interface Outcome {
  stage: string
  seconds: number
  code: number
  lines: string[]
}

/** How many output lines of a failed stage are repeated at the end. */
const REPEATED_LINES = 100

/** Runs stages until none remains. Continues after a failure, so that one run reports all of them. */
async function runWorker(waiting: string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
    outcomes.push(await run(stage))
  }
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

const waiting = stages.filter((stage) => stage !== IN_BACKGROUND)
const workers = Array.from({ length: WORKERS }, () => runWorker(waiting))
workers.push(runWorker(stages.filter((stage) => stage === IN_BACKGROUND)))
const outcomes = (await Promise.all(workers)).flat()
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
