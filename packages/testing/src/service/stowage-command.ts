import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What `npx stowage` starts. */
export const COMMAND = fileURLToPath(new URL('../../../cli/bin/stowage.js', import.meta.url))

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs `stowage` as people do, with these settings beside the environment's. */
export function stowage(
  settings: Record<string, string>,
  ...commandLine: string[]
): Promise<Outcome> {
  // Which engines the tests run on is not a setting, and the command refuses unknown ones.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...Object.fromEntries(own), ...settings }
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...commandLine], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
  })
}
