import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ServerProcess {
  url: string
  pid: number
  /** Waits for the end; at once unless another signal is named. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Command {
  command: string
  words: string[]
  env?: Record<string, string>
}

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/
const PATIENCE_MS = 30_000

/** A server that takes a free port itself and prints its address: nobody else's is mistaken for it. */
export async function startServer(command: Command): Promise<ServerProcess> {
  const child = spawnQuietly(command)
  try {
    const url = await printedAddress(child)
    return { url, pid: child.process.pid ?? 0, stop: (signal) => stopProcess(child, signal) }
  } catch (error) {
    await stopProcess(child)
    throw error
  }
}

export interface Spawned {
  process: ChildProcess
  /** What it says of itself, the last of it. */
  errors(): string
}

/**
 * With the settings of nobody else: none of ours, and nothing that changes how Node runs. What it
 * logs goes to a file, as a pipe would make it wait for us.
 */
export function spawnQuietly({ command, words, env }: Command): Spawned {
  const own = Object.entries(process.env).filter(([name]) => !/^(STOWAGE_|NODE_)/.test(name))
  const folder = mkdtempSync(join(tmpdir(), 'stowage-bench-'))
  const log = openSync(join(folder, 'log'), 'w+')
  const child = spawn(command, words, {
    env: { ...Object.fromEntries(own), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  let errors = ''
  // However we end: others in this process end it on a signal too, and wait for nobody.
  const end = () => {
    child.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', end)
  child.once('exit', () => {
    process.off('exit', end)
    errors = readFileSync(join(folder, 'log'), 'utf8').slice(-2000)
    rmSync(folder, { recursive: true, force: true })
  })
  return { process: child, errors: () => errors }
}

export function printedAddress({ process: child, errors }: Spawned): Promise<string> {
  const name = child.spawnargs.join(' ')
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} prints no address`)), PATIENCE_MS)
    timer.unref()
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${name} ended: ${errors()}`)))
    let text = ''
    child.stdout?.on('data', (more) => {
      text += more
      const address = ADDRESS.exec(text)?.[0]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
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
