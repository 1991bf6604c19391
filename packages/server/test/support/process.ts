import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cleanUp } from './clean-up.ts'

const COMMAND = fileURLToPath(new URL('../../../cli/bin/stowage.js', import.meta.url))

export interface ServiceProcess {
  child: ChildProcess
  pid: number
  baseUrl: string
  storageUrl: string
  /** What it has written so far. */
  output(): { stdout: string; stderr: string }
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** `stowage serve` as a process of its own, on free ports unless the settings say otherwise. */
export async function aServiceProcess(
  t: TestContext,
  settings: Record<string, string>,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [COMMAND, 'serve'], {
    env: { ...process.env, STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  cleanUp(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const greeting = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      stdout += text
      if (stdout.includes('Try:')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`it ended with code ${code}: ${stderr}`)))
  })
  await greeting
  const address = (label: string) => new RegExp(`${label}\\s+(\\S+)`).exec(stdout)?.[1] ?? ''
  return {
    child,
    pid: child.pid ?? 0,
    baseUrl: address('Service'),
    storageUrl: address('Storage'),
    output: () => ({ stdout, stderr }),
    async stop(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}
