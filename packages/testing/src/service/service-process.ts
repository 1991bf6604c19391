import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import { cleanUp } from '../machine/clean-up.ts'
import { until } from '../machine/until.ts'
import { aDeployment, type Deployment } from './service.ts'
import { COMMAND } from './stowage-command.ts'

export interface ServiceProcess {
  child: ChildProcess
  pid: number
  /** Another process with this deployment uses the same data. */
  deployment: Deployment
  baseUrl: string
  storageUrl: string
  /** The output so far. */
  output(): { stdout: string; stderr: string }
  /** The log so far, without calls that were slow: the machine may be busy. */
  failures(): string
  /** Sends the signal, waits until the process ends and returns its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts `stowage serve` as a separate process, on free ports, with a new deployment unless one is given. A
 * wrapper is a command line that replaces itself with the service by exec.
 */
export async function aServiceProcess(
  t: TestContext,
  settings: Environment = {},
  given?: Deployment,
  wrapper: string[] = [],
): Promise<ServiceProcess> {
  const deployment = given ?? (await aDeployment(t))
  const child = spawnService({ ...deployment.settings, ...settings }, wrapper)
  // Unlike "exit", "close" is emitted after all output was read.
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
  const startupMessage = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      stdout += text
      if (stdout.includes('/api/v1/assets')) resolve()
    })
    child.once('close', (code) =>
      reject(new Error(`The service ended with code ${code}: ${stderr}`)),
    )
  })
  await startupMessage
  const urlOf = (label: string) => new RegExp(`${label}\\s+(\\S+)`).exec(stdout)?.[1] ?? ''
  return {
    child,
    pid: child.pid ?? 0,
    deployment,
    baseUrl: urlOf('Dashboard'),
    storageUrl: urlOf('Storage'),
    output: () => ({ stdout, stderr }),
    failures() {
      const lines = stderr.split('\n')
      return lines.filter((line) => !line.includes(' was slow"')).join('\n')
    },
    async stop(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}

/** Starts the service on free ports unless the settings name others. */
export function spawnService(settings: Environment, wrapper: string[] = []) {
  // The service refuses unknown settings, such as those of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_'))
  const isDisk = settings.STOWAGE_STORAGE === undefined
  const ports = { STOWAGE_PORT: '0', ...(isDisk && { STOWAGE_STORAGE_PORT: '0' }) }
  const [command = '', ...words] = [...wrapper, process.execPath, COMMAND, 'serve']
  return spawn(command, words, {
    env: { ...Object.fromEntries(own), ...ports, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/**
 * Waits until the process ends. The timeout is shorter than any connection timeout, so a service that waits for a
 * connection to time out fails the test.
 */
export function untilEnded({ child }: ServiceProcess): Promise<void> {
  return until('the service ends', () => child.exitCode !== null, 10_000)
}

interface FailedStart {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `stowage serve` with settings that must prevent it from starting. Throws if it starts. */
export async function aFailedStart(settings: Environment): Promise<FailedStart> {
  const child = spawnService(settings)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
    if (stdout.includes('is ready')) child.kill('SIGKILL')
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  // Unlike "exit", "close" is emitted after all output was read.
  const [code] = await once(child, 'close')
  if (stdout.includes('is ready')) throw new Error(`the service started: ${stdout}`)
  return { code, stdout, stderr }
}
