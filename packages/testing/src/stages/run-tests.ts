import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob } from 'node:fs/promises'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard } from '../browser/build-dashboard.ts'

const SHARED_PROCESSES = 2
/** These files share two processes, because loading all modules takes longer than most of the tests. */
const SHARED_PROCESS = new RegExp(
  [
    '/server/test/http/',
    '/server/test/embedded/(bad-requests|busy-database|data-folder|doctor|full-disk|identity)\\.',
    '/server/test/embedded/(ignored-ranges|keys-at-rest|killed-migration|older-service|other-origin)\\.',
    '/server/test/embedded/(pipelined-parts|read-errors|repr-digest|storage-http|storage-process)\\.',
    '/server/test/end-to-end/(curl-flow|delete-all|logged-signatures|service-process|webhook-delay)\\.',
    '/server/src/(config|domain|move|iterables|http|operations|engines|process)/',
    '/server/src/(crypto|doctor|jobs|node-http|storage/disk|webhook-sender)/',
    '/server/src/database/(shared/(block-counts|lru-cache)|sqlite/unit-of-work)\\.',
    '/server/src/database/postgres/(connection|event-channel|examine|limits|locks)\\.',
    '/server/src/storage/(shared|s3/(s3-storage|objects|named-storage|policy))\\.',
    '/server/src/storage/s3/(presign|s3-client)\\.',
    '/pack/src/',
    '/(protocol|client|cli|dashboard)/src/',
    '/cli/test/(?!terminal)',
    '/client/test/(bundle|calls|changed-files|controls|download-to|events|examples|faults|imports)\\.',
    '/client/test/(inputs|misuse|open-ended|outage|paths|readme|replace|sessions|two-processes)\\.',
    '/client/test/(unreliable-connection|upload|verify-webhook)\\.',
    '/testing/test/',
    '/bench/src/(judge|load/|measure|report/)',
  ].join('|'),
)
/** These share one process, and so one PostgreSQL and one Ceph. */
const ONE_PROCESS = /\/proofs\/src\/many-instances\//
/** Up to 8 of these share a process and a browser. They wait half of the time, so more processes run concurrently. */
const IN_BROWSER =
  /\/dashboard\/test\/|\/client\/test\/(browser-controls|browser-guide|browser-refused|uppy)\./
const FILES_PER_BROWSER = 8
/** These need the built dashboard. */
const WITH_DASHBOARD = /\/dashboard\/test\/|\/http\/pages\/dashboard\.test\.ts$|\/pack\/test\//
/** These measure a whole process or use the disk heavily, so they run after all others. */
const ALONE = /memory\.test\.ts$/
/** Set `TEST_TIMEOUT_MS` for longer runs, such as those with more rounds. */
const TIMEOUT_MS = process.env.TEST_TIMEOUT_MS ?? '300000'
const UNTRACKED = ['--import', new URL('untracked-promises.ts', import.meta.url).href]
const IN_ONE_PROCESS = fileURLToPath(new URL('in-one-process.ts', import.meta.url))
/** Lets Node compile each module once for all processes, which saves a third of a second in each. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../../../../node_modules/.cache/stowage', import.meta.url),
  ),
}

/** Runs test files with these environment variables in addition to the current ones. Returns the exit code. */
export async function runTests(
  patterns: string[],
  settings: Record<string, string>,
): Promise<number> {
  const found = await Array.fromAsync(glob(patterns), (file) => file.replaceAll(sep, '/'))
  const files = found.toSorted()
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ')}`)
  if (files.some((file) => WITH_DASHBOARD.test(file))) await buildDashboard()
  const env = { ...process.env, ...COMPILE_CACHE, ...settings }

  async function run(some: string[], options: string[]): Promise<number> {
    if (some.length === 0) return 0
    const commandLine = [...UNTRACKED, ...options, ...some]
    const child = spawn(process.execPath, commandLine, { stdio: 'inherit', env })
    const [code] = await once(child, 'exit')
    return code ?? 1
  }
  const inOneProcess = [IN_ONE_PROCESS, TIMEOUT_MS]
  const inOwnProcesses = ['--test', `--test-timeout=${TIMEOUT_MS}`]

  const alone = files.filter((file) => ALONE.test(file))
  const sharing = files.filter((file) => SHARED_PROCESS.test(file))
  const inBrowser = files.filter((file) => IN_BROWSER.test(file))
  const isSpecial = (file: string) =>
    [ALONE, SHARED_PROCESS, ONE_PROCESS, IN_BROWSER].some((pattern) => pattern.test(file))
  const others = files.filter((file) => !isSpecial(file))
  const groups = [
    ...inGroups(sharing, SHARED_PROCESSES),
    files.filter((file) => ONE_PROCESS.test(file)),
    ...inGroups(inBrowser, Math.ceil(inBrowser.length / FILES_PER_BROWSER)),
  ]
  const codes = await Promise.all([
    ...groups.map((group) => run(group, inOneProcess)),
    run(others, [...inOwnProcesses, '--test-concurrency=2']),
  ])
  return Math.max(...codes, await run(alone, inOwnProcesses))
}

/** Distributes the files evenly: neighbors, which often take equally long, are in different groups. */
function inGroups(files: string[], count: number): string[][] {
  return Array.from({ length: count }, (_, group) =>
    files.filter((_file, index) => index % count === group),
  )
}
