import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from '../../../server/test/support/until.ts'

export interface ServerProcess {
  url: string
  pid: number
  /** When it has ended. */
  ended: Promise<unknown>
  /** At once. */
  stop(): Promise<void>
}

interface Command {
  command: string
  words: string[]
  env?: Record<string, string>
}

interface ServerOptions extends Command {
  /** What it is called when it does not start. */
  name: string
  /** A free one, on which it listens on loopback. */
  port: number
}

/** Ready once it answers anything at all. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { name, port } = options
  const child = spawnQuietly(options)
  const url = `http://127.0.0.1:${port}`
  // That it could not be started at all is told below.
  const ended = once(child.process, 'exit').catch(() => {})
  const stop = () => stopProcess(child.process)
  try {
    await until(`${name} answers`, async () => {
      if (child.process.exitCode !== null) throw new Error(`${name} ended: ${child.errors()}`)
      return isAnswering(url)
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { url, pid: child.process.pid ?? 0, ended, stop }
}

/** With the settings of nobody else: none of ours, and nothing that changes how Node runs. */
export function spawnQuietly({ command, words, env }: Command) {
  const own = Object.entries(process.env).filter(([name]) => !/^(STOWAGE_|NODE_)/.test(name))
  const child = spawn(command, words, {
    env: { ...Object.fromEntries(own), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors = (errors + text).slice(-2_000)
  })
  // However we end: others in this process end it on a signal too, and wait for nobody.
  const end = () => child.kill('SIGTERM')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return { process: child as ChildProcess, errors: () => errors }
}

export async function stopProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.arrayBuffer()
    return true
  } catch {
    return false
  }
}
