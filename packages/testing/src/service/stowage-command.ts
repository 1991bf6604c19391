import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The script that `npx stowage` starts. */
export const COMMAND = fileURLToPath(new URL('../../../cli/bin/stowage.js', import.meta.url))

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs `stowage` with these settings in addition to the environment. */
export function stowage(
  settings: Record<string, string>,
  ...commandLine: string[]
): Promise<Outcome> {
  // The command refuses unknown settings, such as those that select the engines of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...Object.fromEntries(own), ...settings }
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...commandLine], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
  })
}
