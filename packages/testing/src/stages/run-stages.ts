import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { COMPILE_CACHE } from './run-tests.ts'

/*
 * Runs stages of the tests, each of which is a script of package.json: those that are named, or all.
 *
 *     node packages/testing/src/stages/run-stages.ts check test:core
 */

/** The quickest stage first, then the longest ones, so that both lanes end at about the same time. */
const ALL_STAGES = [
  'check',
  'test:dashboard',
  'test:ceph',
  'test:clients',
  'test:postgres',
  'test:sqlite',
  'test:image',
  'test:many-instances',
]

/**
 * Beside each other: each stage waits at times, be it for an outage, for the disk or for a minute of
 * kills, and the other one has the processors then.
 */
const LANES = 2

const named = process.argv.slice(2)
const stages = named.length > 0 ? named : ALL_STAGES
const WIDTH = Math.max(...stages.map((stage) => stage.length))

interface Outcome {
  stage: string
  seconds: number
  code: number
  lines: string[]
}

/** As many of a stage that failed are said once more at the end, where people look. */
const REPEATED = 100

/** Takes the next stage until there is none, also after one that failed: one run tells everything. */
async function runLane(waiting: string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
    outcomes.push(await run(stage))
  }
  return outcomes
}

/** Every line that it says begins with its name. */
async function run(stage: string): Promise<Outcome> {
  const begin = performance.now()
  const child = spawn('npm', ['run', '--silent', stage], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a script on Windows, which only a shell starts.
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

/** From where the runner sums them up, if it came to that. */
function failures(lines: string[]): string[] {
  const start = lines.findIndex((line) => line.includes('failing tests:'))
  return start < 0 ? lines : lines.slice(start)
}

const waiting = [...stages]
const lanes = Array.from({ length: LANES }, () => runLane(waiting))
const outcomes = (await Promise.all(lanes)).flat()
for (const { stage, lines } of outcomes.filter(({ code }) => code !== 0)) {
  console.log(`\n${stage} failed:\n${failures(lines).slice(-REPEATED).join('\n')}`)
}
console.log()
for (const { stage, seconds, code } of outcomes) {
  console.log(
    `${code === 0 ? '✔' : '✖'} ${stage.padEnd(WIDTH)} ${seconds.toFixed(0).padStart(4)} s`,
  )
}
process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1
