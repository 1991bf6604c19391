import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../../cli/bin/stowage.js', import.meta.url))

export interface FailedStart {
  code: number | null
  stdout: string
  stderr: string
}

/** `stowage serve` with settings that keep it from starting. One that starts is an error. */
export async function aFailedStart(settings: Record<string, string>): Promise<FailedStart> {
  const child = spawn(process.execPath, [COMMAND, 'serve'], {
    env: { ...process.env, STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
    if (stdout.includes('is ready')) child.kill('SIGKILL')
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  // Unlike "exit", it comes after everything that was written.
  const [code] = await once(child, 'close')
  if (stdout.includes('is ready')) throw new Error(`it started: ${stdout}`)
  return { code, stdout, stderr }
}
