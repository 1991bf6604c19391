import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { cancelUpload, requestSession } from '../load/sessions.ts'
import { BODY, CONCURRENCY, GIBIBYTE, settleDisk } from '../load/transfers.ts'
import { API, startStowage, type Usage, watchUsage } from '../processes/servers.ts'
import type { Workload, WorkloadContext } from '../workload.ts'

const CURL = 'curl --parallel, parts only'

/** The part size of the client. curl uses the same size, so that both send the same number of requests. */
const PART_SIZE = 16_000_000
const PART_LENGTHS = Array.from({ length: Math.ceil(GIBIBYTE / PART_SIZE) }, (_, index) =>
  Math.min(PART_SIZE, GIBIBYTE - index * PART_SIZE),
)

export const clientUpload: Workload = {
  title:
    'Upload of a 1 GiB file with the Node client to the disk storage, 4 parts of 16 MB in parallel',
  metrics: {
    rate: { title: 'Sent', unit: 'MB/s', better: 'higher' },
    cpu: { title: 'CPU of the client', unit: 's', better: 'lower' },
    memory: { title: 'Peak memory of the client', unit: 'MB', better: 'lower' },
  },
  targets: [
    { metric: 'rate', limit: { atLeast: 0.9 }, relativeTo: { contender: CURL } },
    { metric: 'memory', limit: { below: 150 } },
  ],
  async open(context) {
    const data = await context.folder()
    const { url } = await startStowage(context, { STOWAGE_DATA: data })
    const { path, parts } = await writeFiles(await context.folder())
    const client = await startClient(context, { url, concurrency: CONCURRENCY })
    return [
      {
        // The metrics include the session and the completion, which curl does not request.
        name: 'Stowage, Node client',
        async run() {
          let id = ''
          const metrics = await timed(() =>
            watchUsage([client.pid], async () => {
              id = await client.upload(path)
            }),
          )
          await fetch(`${url}${API}/assets/${id}?permanent=true`, { method: 'DELETE' })
          await settleDisk(data)
          return metrics
        },
      },
      {
        name: CURL,
        async run() {
          const session = await requestSession(url, GIBIBYTE, PART_SIZE)
          if (session.chunk_size !== PART_SIZE)
            throw new Error(`parts of ${session.chunk_size} bytes`)
          const files = session.urls.map(({ url: partUrl }, index) => {
            return { path: parts[index] ?? '', url: partUrl }
          })
          const metrics = await timed(() => curlFiles(files, CONCURRENCY))
          await cancelUpload(url, session)
          await settleDisk(data)
          return metrics
        },
      },
    ]
  },
}

async function timed(work: () => Promise<Usage>): Promise<Record<string, number>> {
  const start = performance.now()
  const { cpuSeconds, peakMegabytes } = await work()
  const seconds = (performance.now() - start) / 1000
  return { rate: GIBIBYTE / 1e6 / seconds, cpu: cpuSeconds, memory: peakMegabytes }
}

/** Writes the file, and each part to its own file, as curl can't send a range of a file. */
async function writeFiles(folder: string): Promise<{ path: string; parts: string[] }> {
  const path = join(folder, 'file.bin')
  const parts = PART_LENGTHS.map((_, index) => join(folder, `part-${index + 1}.bin`))
  const file = await open(path, 'w')
  for (const [index, length] of PART_LENGTHS.entries()) {
    await file.write(BODY, 0, length)
    const part = await open(parts[index] ?? '', 'w')
    await part.write(BODY, 0, length)
    await part.close()
  }
  await file.close()
  await settleDisk(folder)
  return { path, parts }
}

const CLIENT_PROGRAM = fileURLToPath(new URL('../load/client-program.ts', import.meta.url))
const TICKS_PER_SECOND = 100
const SAMPLE_MS = 20

interface ClientProcess {
  pid: number
  /** Uploads a file and returns the asset's ID. */
  upload(path: string): Promise<string>
}

async function startClient(
  context: WorkloadContext,
  { url, concurrency }: { url: string; concurrency: number },
): Promise<ClientProcess> {
  const child = fork(CLIENT_PROGRAM, [url, await context.folder(), String(concurrency)])
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
async function curlFiles(
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
