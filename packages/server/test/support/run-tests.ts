import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Three files at a time, as many tests wait for a server or a disk. */
const TOGETHER = ['--test-concurrency=3', '--test-timeout=300000']
/** What measures the whole process, and takes all of the disk. */
const ALONE = /memory\.test\.ts$/
/** Node compiles each module once for all files, which is a third of a second in each of them. */
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/stowage', import.meta.url))

/** Runs test files with these variables beside our own, and gives the exit code. */
export async function runTests(
  patterns: string[],
  settings: Record<string, string>,
): Promise<number> {
  const files = await Array.fromAsync(glob(patterns))
  if (files.length === 0) throw new Error(`there are no files like ${patterns.join(' ')}`)
  const env = { ...process.env, NODE_COMPILE_CACHE: CACHE, ...settings }
  const codes: number[] = []
  for (const isAlone of [false, true]) {
    const some = files.filter((file) => ALONE.test(file) === isAlone)
    if (some.length === 0) continue
    const options = ['--test', ...TOGETHER, ...some]
    const child = spawn(process.execPath, options, { stdio: 'inherit', env })
    const [code] = await once(child, 'exit')
    codes.push(code ?? 1)
  }
  return Math.max(...codes)
}
