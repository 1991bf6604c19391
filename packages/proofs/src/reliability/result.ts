import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, totalmem } from 'node:os'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ENGINES } from '@stowage/testing/engines/test-engines'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const FOLDER = new URL('../../../../docs/reliability/', import.meta.url)
export const PAGE = new URL('results.md', FOLDER)

/** The result of a run of a test program. */
interface Result {
  /** The command that repeats the run. */
  command: string
  /** The metrics and their values. */
  rows: Record<string, string>
}

/** Saves the result of this run in docs/reliability/, with the commit and the machine, if `RELIABILITY_WRITE` is `true`. */
export async function saveResult(name: string, { command, rows }: Result): Promise<void> {
  if (process.env.RELIABILITY_WRITE !== 'true') return
  const run = promisify(execFile)
  const { stdout } = await run('git', [
    '-C',
    ROOT,
    'describe',
    '--always',
    '--dirty',
    '--exclude=*',
  ])
  const processors = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const Machine = `${processors.length} × ${processors[0]?.model ?? arch()}, ${memory}`
  const result = { command, rows: { ...rows, Commit: stdout.trim(), Machine } }
  await writeFile(new URL(`${name}.json`, FOLDER), `${JSON.stringify(result, null, 2)}\n`)
}

/** The command that repeats the run of a test file, on the engines of this process and with these variables. */
export function commandOf(
  filename: string,
  variables: Record<string, string | number | undefined> = {},
): string {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined)
  return [
    ...given.map(([name, value]) => `${name}=${value}`),
    'npx node packages/testing/src/stages/on-engines.ts',
    ENGINES.replace('-', '+').replace('s3', 'ceph'),
    relative(ROOT, filename).replaceAll(sep, '/'),
  ].join(' ')
}

/** All saved results, by name. */
export async function readResults(): Promise<Map<string, Result>> {
  const names = (await readdir(fileURLToPath(FOLDER))).filter((name) => name.endsWith('.json'))
  const results = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      return [name.replace(/\.json$/, ''), JSON.parse(text) as Result] as const
    }),
  )
  return new Map(results)
}

/** The page of all results, in the order of their names. */
export function renderPage(results: Map<string, Result>): string {
  const sections = [...results].sort(([a], [b]) => (a < b ? -1 : 1))
  return `# Results of the test programs

[How we search for defects](../reliability.md) describes the programs. packages/proofs/src/reliability/write-page.ts
generates this page.

${sections.map(([name, result]) => section(name, result)).join('\n')}`
}

function section(name: string, { command, rows }: Result): string {
  const lines = Object.entries(rows).map(([metric, value]) => `| ${metric} | ${value} |`)
  return [
    `## ${name}`,
    '',
    '```sh',
    command,
    '```',
    '',
    '| Metric | Result |',
    '|---|---|',
    ...lines,
    '',
  ].join('\n')
}
