import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installPrograms } from '../machine/programs.ts'
import { summarizeCoverage } from './coverage.ts'
import { COMPILE_CACHE } from './run-tests.ts'

/*
 * Runs test stages, each of which is a script in package.json, one after the other, because each of them uses all CPUs.
 * Those after `--beside` run at the same time: they often wait, for an engine, a browser, the disk or an outage.
 *
 *     node packages/testing/src/stages/run-stages.ts [--install=tests|proofs] check test:server --beside test:postgres
 *
 * With `--install`, it first installs the Debian packages that the stages need. With `--coverage`, it shows at the end which
 * share of the lines ran.
 */
const words = process.argv.slice(2)
const stages = words.filter((word) => !word.startsWith('--'))
if (stages.length === 0) throw new Error('Name the stages to run')
const split = words.indexOf('--beside')
const beside = split < 0 ? [] : words.slice(split + 1)
const coverage = words.includes('--coverage')
  ? mkdtempSync(join(tmpdir(), 'stowage-coverage-'))
  : ''
/** Functions from the compile cache would be counted less precisely. */
const COVERAGE = { NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: '1' }
/** These run while the programs are installed. */
const NEEDS_NO_PROGRAM = ['check', 'test:postgres']
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
  for (const stage of waiting) {
    if (!NEEDS_NO_PROGRAM.includes(stage)) await installation
    outcomes.push(await run(stage))
  }
  return outcomes
}

/** Runs a stage and prefixes each line of its output with its name. */
async function run(stage: string): Promise<Outcome> {
  const begin = performance.now()
  const child = spawn('npm', ['run', '--silent', stage], {
    env: { ...process.env, ...COMPILE_CACHE, ...(coverage !== '' && COVERAGE) },
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

// A stage alone installs what it needs. All are installed together, because stages run at the same time.
const set = words.find((word) => word.startsWith('--install='))?.split('=')[1]
const installation =
  set === 'tests' || set === 'proofs'
    ? installPrograms(set).catch((error: unknown) => {
        // The stages that need them fail with the reason, or are skipped; the others run.
        console.error(`Some programs could not be installed: ${error}`)
      })
    : undefined
const foreground = runAll(stages.filter((stage) => !beside.includes(stage)))
const background = runAll(beside)
const outcomes = [...(await foreground), ...(await background)]
for (const { stage, lines } of outcomes.filter(({ code }) => code !== 0)) {
  console.log(`\n${stage} failed:\n${failures(lines).slice(-REPEATED_LINES).join('\n')}`)
}
console.log()
if (coverage !== '') {
  console.log(`${summarizeCoverage(coverage)}\n`)
  rmSync(coverage, { recursive: true })
}
for (const { stage, seconds, code } of outcomes) {
  console.log(
    `${code === 0 ? '✔' : '✖'} ${stage.padEnd(WIDTH)} ${seconds.toFixed(0).padStart(4)} s`,
  )
}
process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1
