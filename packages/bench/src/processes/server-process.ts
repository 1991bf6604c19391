import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ServerProcess {
  url: string
  pid: number
  /** Sends the signal, by default SIGKILL, and waits until the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Command {
  command: string
  args: string[]
  env?: Record<string, string>
}

const URL_PATTERN = /http:\/\/127\.0\.0\.1:\d+/
const START_TIMEOUT_MS = 30_000

/** Starts a server that picks a free port and prints its URL, so that no other program is mistaken for it. */
export async function startServer(command: Command): Promise<ServerProcess> {
  const child = spawnServer(command)
  try {
    const url = await printedUrl(child)
    return { url, pid: child.process.pid ?? 0, stop: (signal) => stopProcess(child, signal) }
  } catch (error) {
    await stopProcess(child)
    throw error
  }
}

export interface Spawned {
  process: ChildProcess
  /** The end of the log. Empty until the process has exited. */
  errors(): string
}

/**
 * Starts a server without the STOWAGE_* and NODE_* variables of this process. The server logs to a file: writing to
 * a pipe could make it wait for this process.
 */
export function spawnServer({ command, args, env }: Command): Spawned {
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(STOWAGE_|NODE_)/.test(name),
  )
  const folder = mkdtempSync(join(tmpdir(), 'stowage-bench-'))
  const log = openSync(join(folder, 'log'), 'w+')
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(environment), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  let errors = ''
  // Stops the server even if this process exits early, such as after a signal.
  const stop = () => {
    child.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  child.once('exit', () => {
    process.off('exit', stop)
    errors = readFileSync(join(folder, 'log'), 'utf8').slice(-2000)
    rmSync(folder, { recursive: true, force: true })
  })
  return { process: child, errors: () => errors }
}

export function printedUrl(
  { process: child, errors }: Spawned,
  timeoutMs = START_TIMEOUT_MS,
): Promise<string> {
  const name = child.spawnargs.join(' ')
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not print a URL`)), timeoutMs)
    timer.unref()
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${name} exited: ${errors()}`)))
    let text = ''
    child.stdout?.on('data', (more) => {
      text += more
      const url = URL_PATTERN.exec(text)?.[0]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}

export async function stopProcess(
  { process: child }: Spawned,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
