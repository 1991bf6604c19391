import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Server } from './s3-server.ts'

/** Starts a daemon that runs in the foreground. */
export type Launch = (command: string, ...options: string[]) => ChildProcess

/** How many characters of a daemon's stderr are shown when it ends. */
const MAX_LOG = 2000

/**
 * Starts a server that consists of several daemons, in a temporary folder. `close` stops all of them. If a
 * daemon ends before all are ready, the start fails with the stderr output of that daemon.
 */
export async function startS3Daemons<Server extends Omit<S3Server, 'close'>>(
  name: string,
  start: (folder: string, launch: Launch) => Promise<Server>,
): Promise<Server & Pick<S3Server, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), `stowage-${name}-`))
  const daemons: ChildProcess[] = []
  const ended = Promise.withResolvers<never>()
  // After the start, tests stop daemons on purpose.
  ended.promise.catch(() => {})

  function launch(command: string, ...options: string[]): ChildProcess {
    const child = spawn(command, options, { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    child.stderr.on('data', (text) => {
      log = (log + text).slice(-MAX_LOG)
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

/** A gateway that can be stopped and started. Stored objects remain. */
export function restartable(start: () => ChildProcess, waitForResponse: () => Promise<void>) {
  let gateway = start()
  return {
    async stop() {
      const ended = new Promise((resolve) => gateway.once('exit', resolve))
      gateway.kill('SIGKILL')
      await ended
    },
    async start() {
      gateway = start()
      await waitForResponse()
    },
  }
}

/** Whether a server responds at this URL, with any status. */
export async function isResponding(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}
