import { fileURLToPath } from 'node:url'
import type { Outcome } from './command-request.ts'
import { runCommand } from './run-command.ts'

/** The script that `npx stowage` starts. */
export const COMMAND = fileURLToPath(new URL('../../../cli/bin/stowage.js', import.meta.url))

/** Runs `stowage` with these settings in addition to the environment. */
export function stowage(
  settings: Record<string, string>,
  ...commandLine: string[]
): Promise<Outcome> {
  // The CLI refuses unknown settings, such as those that select the engines of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...(Object.fromEntries(own) as Record<string, string>), ...settings }
  return runCommand({ words: commandLine, env, cwd: process.cwd(), input: '' })
}
