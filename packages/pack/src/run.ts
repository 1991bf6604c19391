import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './manifest.ts'

/** On Windows npm is a script, which needs a shell. */
export function runNpm(args: string[], cwd: string): Promise<string> {
  if (process.platform !== 'win32') return run('npm', args, cwd)
  const words = args.map((word) => (word.includes(' ') ? `"${word}"` : word))
  return run('npm', words, cwd, { shell: true })
}

/** Runs the TypeScript compiler of the repository with one checker: several would each check shared types. */
export function runTsc(args: string[], cwd: string): Promise<string> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [compiler, '--checkers', '1', ...args], cwd)
}

/** Runs a program and returns its standard output. If it fails, throws an error with its output. */
export async function run(
  program: string,
  args: string[],
  cwd: string,
  options: { shell?: boolean } = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      maxBuffer: 2 ** 26,
      ...options,
    })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    const output = `${stdout ?? ''}${stderr ?? ''}`
    throw new Error(`${program} ${args.join(' ')} failed: ${output}`, { cause: error })
  }
}
