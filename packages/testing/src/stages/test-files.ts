import { globSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'

/*
 * Which engines and which process a test file runs on. The folder or a line below the imports says it; without either,
 * a file runs on SQLite and disk, in a process that it shares with others.
 *
 *     Runs on sqlite+disk and postgres+ceph.
 *     Runs in its own process: it measures the memory of the process.
 *     Runs alone: it fills the disk.
 *     Runs in a shared browser.
 *
 * Each is a comment of one line. The files are only read here, not loaded.
 */

export const ENGINES = ['sqlite+disk', 'postgres+disk', 'postgres+ceph', 'own-engines'] as const

/**
 * - `shared`: shares one of two processes, because loading all modules takes longer than most of the tests
 * - `own`: has its own process, beside the others
 * - `browser`: up to 8 files share a process and a browser
 * - `one`: all of them share one process, and so one PostgreSQL and one Ceph
 * - `alone`: has its own process, after all others have ended
 */
export type TestProcess = 'shared' | 'own' | 'browser' | 'one' | 'alone'

export interface TestFile {
  path: string
  engines: string[]
  process: TestProcess
}

interface Rule {
  folder: string
  engines?: string
  process?: TestProcess
}

/** The first rule whose folder contains the file applies; a line in the file overrides it. */
const RULES: Rule[] = [
  // These start PostgreSQL and Ceph, and stop them in turn.
  { folder: 'packages/proofs/src/many-instances/', engines: 'own-engines', process: 'one' },
  // image/run.ts starts these in a network of their own.
  { folder: 'packages/proofs/src/image/', engines: 'image' },
  // Most of these take many seconds, and they kill, cut and overload what they use.
  { folder: 'packages/proofs/', process: 'own' },
  { folder: 'packages/server/src/database/postgres/', engines: 'postgres+disk' },
  { folder: 'packages/dashboard/test/', process: 'browser' },
]

const ENGINES_LINE = /^\/\* Runs on (.+)\. \*\/$/m
const PROCESS_LINE = /^\/\* Runs (in its own process|alone|in a shared browser)(: .+)?\. \*\/$/m
const PROCESSES: Record<string, TestProcess> = {
  'in its own process': 'own',
  alone: 'alone',
  'in a shared browser': 'browser',
}

/** The test files of folders or file names, which may be patterns such as `packages/{cli,client}`, in order. */
export function findTestFiles(patterns: string[], cwd = process.cwd()): TestFile[] {
  const found = globSync(
    patterns.map((one) => (one.endsWith('.ts') ? one : `${one}/**/*.test.ts`)),
    { cwd, exclude: (name) => name === 'node_modules' },
  )
  const paths = found.map((native) => native.replaceAll(sep, '/')).toSorted()
  return paths.map((path) => describeTestFile(path, readFileSync(`${cwd}/${path}`, 'utf8')))
}

/** The files that run on these engines. A file that is named runs on every kind of engines. */
export function selectTestFiles(engines: string, patterns: string[], cwd?: string): TestFile[] {
  const isNamed = (pattern: string) => pattern.endsWith('.ts')
  const named = findTestFiles(patterns.filter(isNamed), cwd)
  const inFolders = findTestFiles(
    patterns.filter((pattern) => !isNamed(pattern)),
    cwd,
  )
  return [...named, ...inFolders.filter((file) => file.engines.includes(engines))]
}

function describeTestFile(path: string, text: string): TestFile {
  const rule = RULES.find(({ folder }) => path.includes(folder))
  const engines = ENGINES_LINE.exec(text)?.[1] ?? rule?.engines ?? 'sqlite+disk'
  const process = PROCESSES[PROCESS_LINE.exec(text)?.[1] ?? '']
  return {
    path,
    engines: engines.split(/, | and /),
    process: process ?? rule?.process ?? 'shared',
  }
}
