import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob } from 'node:fs/promises'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard } from '../browser/build-dashboard.ts'

/** These share two processes, as loading everything anew takes longer than most of them. */
const TOGETHER = /\/test\/http\/|\/src\/(config|domain|move)\//
/** These wait for a browser half of the time. */
const IN_BROWSER = /\/dashboard\/test\//
/** These open the dashboard as it is built, or pack it. */
const WITH_DASHBOARD = /\/dashboard\/test\/|\/http\/pages\/dashboard\.test\.ts$|\/pack\/test\//
/** What measures the whole process, and takes all of the disk. */
const ALONE = /memory\.test\.ts$/
/** `TEST_TIMEOUT_MS` is for those who run the long ones. */
const TIMEOUT = `--test-timeout=${process.env.TEST_TIMEOUT_MS ?? 300_000}`
/** Node compiles each module once for all processes, which is a third of a second in each. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../../../../node_modules/.cache/stowage', import.meta.url),
  ),
}

/** Runs test files with these variables beside our own, and gives the exit code. */
export async function runTests(
  patterns: string[],
  settings: Record<string, string>,
): Promise<number> {
  const files = await Array.fromAsync(glob(patterns), (file) => file.replaceAll(sep, '/'))
  if (files.length === 0) throw new Error(`there are no files like ${patterns.join(' ')}`)
  if (files.some((file) => WITH_DASHBOARD.test(file))) await buildDashboard()
  const env = { ...process.env, ...COMPILE_CACHE, ...settings }

  async function run(some: string[], options: string[]): Promise<number> {
    if (some.length === 0) return 0
    const commandLine = ['--test', TIMEOUT, ...options, ...some]
    const child = spawn(process.execPath, commandLine, { stdio: 'inherit', env })
    const [code] = await once(child, 'exit')
    return code ?? 1
  }

  const alone = files.filter((file) => ALONE.test(file))
  const together = files.filter((file) => TOGETHER.test(file))
  const inBrowser = files.filter((file) => IN_BROWSER.test(file))
  const others = files.filter((file) => ![ALONE, TOGETHER, IN_BROWSER].some((it) => it.test(file)))
  const isEven = (_: string, index: number) => index % 2 === 0
  const isOdd = (_: string, index: number) => index % 2 === 1
  const codes = await Promise.all([
    run(together.filter(isEven), ['--test-isolation=none']),
    run(together.filter(isOdd), ['--test-isolation=none']),
    run(others, ['--test-concurrency=2']),
    run(inBrowser, ['--test-concurrency=4']),
  ])
  return Math.max(...codes, await run(alone, []))
}
