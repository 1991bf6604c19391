import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program to its end and returns what it wrote; throws with all of it when it fails. */
export async function run(program: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 2 ** 26 })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    const said = `${stdout ?? ''}${stderr ?? ''}`
    throw new Error(`${program} ${args.join(' ')} failed: ${said}`, { cause: error })
  }
}
