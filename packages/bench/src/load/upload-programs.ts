import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import type { Usage } from '../processes/usage.ts'
import type { WorkloadContext } from '../workload.ts'

const PROGRAM = fileURLToPath(new URL('client-program.ts', import.meta.url))
const TICKS_PER_SECOND = 100
const SAMPLE_MS = 20

export interface ClientProcess {
  pid: number
  /** Uploads a file and returns the asset's ID. */
  upload(path: string): Promise<string>
}

export async function startClient(
  context: WorkloadContext,
  { url, concurrency }: { url: string; concurrency: number },
): Promise<ClientProcess> {
  const child = fork(PROGRAM, [url, await context.folder(), String(concurrency)])
  context.defer(() => child.kill())
  return {
    pid: child.pid ?? 0,
    async upload(path) {
      const responded = once(child, 'message')
      child.send(path)
      const [{ id, error }] = await responded
      if (error !== undefined) throw new Error(error)
      return id
    },
  }
}

/** Sends each file to its URL, at most `concurrency` at a time. */
export async function curlFiles(
  files: { path: string; url: string }[],
  concurrency: number,
): Promise<Usage> {
  const before = await readChildrenSeconds()
  const plain = ['--disable', '--noproxy', '*', '--no-progress-meter', '--fail']
  const parallel = ['--parallel', '--parallel-max', String(concurrency)]
  const transfers = files.flatMap(({ path, url }) => ['--upload-file', path, url])
  const child = spawn('curl', [...plain, ...parallel, '--header', 'Content-Type:', ...transfers], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peak = 0
  const timer = setInterval(async () => {
    // VmHWM, the peak so far, cannot be read after the exit, so it is read at an interval.
    peak = Math.max(peak, await readMemory(child.pid ?? 0, 'VmHWM').catch(() => 0))
  }, SAMPLE_MS)
  const [code] = await once(child, 'exit')
  clearInterval(timer)
  if (code !== 0) throw new Error(`curl exited with ${code}`)
  return { cpuSeconds: (await readChildrenSeconds()) - before, peakMegabytes: peak / 1e6 }
}

/** CPU time of the child processes that have exited. */
async function readChildrenSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}
