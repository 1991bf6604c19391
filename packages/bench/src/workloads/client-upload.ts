import { fork } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cancelUpload, requestSession } from '../load/sessions.ts'
import { BODY, CONCURRENCY, GIBIBYTE, settleDisk } from '../load/transfers.ts'
import { API, runProgram, startStowage, type Usage, watchUsage } from '../processes/servers.ts'
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
              id = (await client.upload([path]))[0] ?? ''
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

interface ClientProcess {
  pid: number
  /** Uploads files and returns the IDs of the assets. */
  upload(paths: string[]): Promise<string[]>
}

/** Starts the Node client in its own process. `concurrency` is its option `parallel`. */
export async function startClient(
  context: WorkloadContext,
  { url, concurrency }: { url: string; concurrency?: number },
): Promise<ClientProcess> {
  const parallel = concurrency === undefined ? [] : [String(concurrency)]
  const child = fork(CLIENT_PROGRAM, [url, await context.folder(), ...parallel])
  context.defer(() => child.kill())
  return {
    pid: child.pid ?? 0,
    async upload(paths) {
      const responded = once(child, 'message')
      child.send(paths)
      const [{ ids, error }] = await responded
      if (error !== undefined) throw new Error(error)
      return ids
    },
  }
}

/** Sends each file to its URL, at most `concurrency` at a time. */
export function curlFiles(
  files: { path: string; url: string }[],
  concurrency: number,
): Promise<Usage> {
  const plain = ['--disable', '--noproxy', '*', '--no-progress-meter', '--fail']
  const parallel = ['--parallel', '--parallel-max', String(concurrency)]
  const transfers = files.flatMap(({ path, url }) => ['--upload-file', path, url])
  const args = [...plain, ...parallel, '--header', 'Content-Type:', ...transfers]
  return runProgram({ command: 'curl', args })
}
