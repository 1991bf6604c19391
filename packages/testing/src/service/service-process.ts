import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import { cleanUp } from '../machine/clean-up.ts'
import { until } from '../machine/until.ts'
import { aDeployment, type Deployment } from './deployment.ts'
import { COMMAND } from './stowage-command.ts'

export interface ServiceProcess {
  child: ChildProcess
  pid: number
  /** Where its data are. Another process there goes on with them. */
  deployment: Deployment
  baseUrl: string
  storageUrl: string
  /** What it has written so far. */
  output(): { stdout: string; stderr: string }
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * `stowage serve` as a process of its own, on free ports; where nothing is yet, if not told where. A wrapper
 * is a command line that runs it, and becomes it.
 */
export async function aServiceProcess(
  t: TestContext,
  settings: Environment = {},
  given?: Deployment,
  wrapper: string[] = [],
): Promise<ServiceProcess> {
  const deployment = given ?? (await aDeployment(t))
  const child = spawnService({ ...deployment.settings, ...settings }, wrapper)
  // Unlike "exit", it comes after everything that was written.
  const ended = once(child, 'close')
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
    child.once('close', (code) => reject(new Error(`it ended with code ${code}: ${stderr}`)))
  })
  await greeting
  const address = (label: string) => new RegExp(`${label}\\s+(\\S+)`).exec(stdout)?.[1] ?? ''
  return {
    child,
    pid: child.pid ?? 0,
    deployment,
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

/** Free ports, unless the settings say otherwise. */
export function spawnService(settings: Environment, wrapper: string[] = []) {
  // Ours are not its settings, and it refuses what it does not know.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_'))
  const isDisk = settings.STOWAGE_STORAGE === undefined
  const ports = { STOWAGE_PORT: '0', ...(isDisk && { STOWAGE_STORAGE_PORT: '0' }) }
  const [command = '', ...words] = [...wrapper, process.execPath, COMMAND, 'serve']
  return spawn(command, words, {
    env: { ...Object.fromEntries(own), ...ports, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Well before any connection times out by itself. */
export function untilEnded({ child }: ServiceProcess): Promise<void> {
  return until('it ends', () => child.exitCode !== null, 10_000)
}
