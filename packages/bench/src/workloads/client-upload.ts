import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BODY, GIBIBYTE, settleDisk } from '../load/put-files.ts'
import { cancelUpload, requestSession } from '../load/stowage-upload.ts'
import { CONCURRENCY } from '../load/transfers.ts'
import { curlFiles, startClient } from '../load/upload-programs.ts'
import { API, startStowage } from '../processes/stowage.ts'
import { type Usage, watchUsage } from '../processes/usage.ts'
import type { Workload } from '../workload.ts'

const CURL = 'curl --parallel, parts only'

/** The part size of the client. curl uses the same size, so that both send the same number of requests. */
const PART = 16_000_000
const LENGTHS = Array.from({ length: Math.ceil(GIBIBYTE / PART) }, (_, index) =>
  Math.min(PART, GIBIBYTE - index * PART),
)

export const workload: Workload = {
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
          const session = await requestSession(url, GIBIBYTE, PART)
          if (session.chunk_size !== PART) throw new Error(`parts of ${session.chunk_size} bytes`)
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
  const parts = LENGTHS.map((_, index) => join(folder, `part-${index + 1}.bin`))
  const file = await open(path, 'w')
  for (const [index, length] of LENGTHS.entries()) {
    await file.write(BODY, 0, length)
    const part = await open(parts[index] ?? '', 'w')
    await part.write(BODY, 0, length)
    await part.close()
  }
  await file.close()
  await settleDisk(folder)
  return { path, parts }
}
