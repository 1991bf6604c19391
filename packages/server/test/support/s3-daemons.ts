import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Server } from './s3-server.ts'

/** A server of several daemons in a temporary folder. None of them outlives it, also when one fails. */
export async function startS3Daemons(
  name: string,
  start: (folder: string, daemons: ChildProcess[]) => Promise<Omit<S3Server, 'close'>>,
): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), `stowage-${name}-`))
  const daemons: ChildProcess[] = []
  async function close(): Promise<void> {
    for (const daemon of daemons) daemon.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    return { ...(await start(folder, daemons)), close }
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
