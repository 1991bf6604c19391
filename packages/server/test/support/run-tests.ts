import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs `node --test` with these variables beside our own, and gives the exit code. */
export async function runTests(options: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, ['--test', '--test-timeout=120000', ...options], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}
