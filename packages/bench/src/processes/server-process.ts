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
  const ended = once(child.process, 'exit')
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
  return { process: child as ChildProcess, errors: () => errors }
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
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
