import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Server } from './s3-server.ts'

/** Starts a daemon that runs in the foreground. */
export type Launch = (command: string, ...options: string[]) => ChildProcess

/** As much of what a daemon wrote is shown when it ends. */
const MOST_LOG = 2000

/**
 * A server of several daemons in a temporary folder. None of them outlives it. When one ends before all
 * are up, the start fails at once, with what that daemon wrote.
 */
export async function startS3Daemons(
  name: string,
  start: (folder: string, launch: Launch) => Promise<Omit<S3Server, 'close'>>,
): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), `stowage-${name}-`))
  const daemons: ChildProcess[] = []
  const ended = Promise.withResolvers<never>()
  // After the start, tests stop daemons on purpose.
  ended.promise.catch(() => {})

  function launch(command: string, ...options: string[]): ChildProcess {
    const child = spawn(command, options, { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    child.stderr.on('data', (text) => {
      log = (log + text).slice(-MOST_LOG)
    })
    child.once('error', ended.reject)
    child.once('close', (code, signal) =>
      ended.reject(new Error(`${command} ended with ${code ?? signal}: ${log}`)),
    )
    daemons.push(child)
    return child
  }
  async function close(): Promise<void> {
    for (const daemon of daemons) daemon.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    return { ...(await Promise.race([start(folder, launch), ended.promise])), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A gateway that can be taken away from its clients; what is stored stays. */
export function restartable(start: () => ChildProcess, answers: () => Promise<void>) {
  let gateway = start()
  return {
    async stop() {
      const ended = new Promise((resolve) => gateway.once('exit', resolve))
      gateway.kill('SIGKILL')
      await ended
    },
    async start() {
      gateway = start()
      await answers()
    },
  }
}

/** Whether anything at all answers at the address. */
export async function isAnswering(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}
