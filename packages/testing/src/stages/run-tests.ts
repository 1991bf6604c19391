import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { buildDashboard } from '../browser/build-dashboard.ts'
import type { TestFile, TestProcess } from './test-files.ts'

const SHARED_PROCESSES = 2
/** The tests in a browser wait half of the time, so more of these processes run at the same time. */
const FILES_PER_BROWSER = 8
/** Folders whose tests need the built dashboard. */
const WITH_DASHBOARD = /\/(dashboard|pack)\/test\/|\/test\/http\/pages\//
/** Set `TEST_TIMEOUT_MS` for longer runs, such as those with more rounds. */
const TIMEOUT_MS = process.env.TEST_TIMEOUT_MS ?? '300000'
const UNTRACKED = ['--import', new URL('untracked-promises.ts', import.meta.url).href]
const RUN_FILES = fileURLToPath(new URL('run-files.ts', import.meta.url))
/** Of the files with their own process, these take longest. They start first, so that none of them is the last to end. */
export const LONGEST = [
  'packages/pack/test/packed.test.ts',
  'packages/cli/test/docs.test.ts',
  'packages/server/test/embedded/move.test.ts',
  'packages/server/src/database/sqlite/sqlite-database.test.ts',
  'packages/server/src/database/postgres/postgres-database.test.ts',
]
/** Lets Node compile each module once for all processes, which saves a third of a second in each. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../../../../node_modules/.cache/stowage', import.meta.url),
  ),
}

/** Runs test files with these environment variables in addition to the current ones. Returns the exit code. */
export async function runTests(
  files: TestFile[],
  settings: Record<string, string>,
): Promise<number> {
  if (files.some(({ path }) => WITH_DASHBOARD.test(path))) await buildDashboard()
  const env = { ...process.env, ...COMPILE_CACHE, ...settings }

  async function run(some: string[], mode: 'shared' | 'own' | 'alone'): Promise<number> {
    if (some.length === 0) return 0
    const commandLine = [...UNTRACKED, RUN_FILES, mode, TIMEOUT_MS, ...some]
    const child = spawn(process.execPath, commandLine, { stdio: 'inherit', env })
    const [code] = await once(child, 'exit')
    return code ?? 1
  }
  const pathsOf = (process: TestProcess) =>
    files.filter((file) => file.process === process).map(({ path }) => path)
  const inBrowser = pathsOf('browser')
  const groups = [
    ...inGroups(pathsOf('shared'), SHARED_PROCESSES),
    ...inGroups(inBrowser, Math.ceil(inBrowser.length / FILES_PER_BROWSER)),
    pathsOf('one'),
  ]
  const codes = await Promise.all([
    ...groups.map((group) => run(group, 'shared')),
    run(longestFirst(pathsOf('own')), 'own'),
  ])
  return Math.max(...codes, await run(pathsOf('alone'), 'alone'))
}

function longestFirst(paths: string[]): string[] {
  const rest = paths.filter((path) => !LONGEST.includes(path))
  return [...LONGEST.filter((path) => paths.includes(path)), ...rest]
}

/** Distributes the files evenly: neighbors, which often take equally long, are in different groups. */
function inGroups(files: string[], count: number): string[][] {
  return Array.from({ length: count }, (_, group) =>
    files.filter((_file, index) => index % count === group),
  )
}
