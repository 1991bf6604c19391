import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { receive } from '../load/receiver.ts'
import { openSender } from '../load/sender.ts'
import {
  BODY,
  CONCURRENCY,
  GIBIBYTE,
  settleDisk,
  storeFile,
  untilVerified,
} from '../load/transfers.ts'
import { startNginx } from '../processes/peers.ts'
import { API, CHECKOUTS, startStowage, watchUsage } from '../processes/servers.ts'
import type { Contender, Workload } from '../workload.ts'

const NGINX = 'nginx, sendfile'
const RANGES = 8
const SIMULTANEOUS = 64
const SMALLER = 16_000_000

export const download: Workload = {
  title:
    'Downloads from the disk storage: 1 GiB with one client, in 8 ranges, and 64 files at once',
  metrics: {
    whole: { title: 'Whole file', unit: 'MB/s', better: 'higher' },
    ranges: { title: `${RANGES} ranges at once`, unit: 'MB/s', better: 'higher' },
    cpuWhole: { title: 'CPU of the server, whole file', unit: 's per GiB', better: 'lower' },
    cpuRanges: { title: 'CPU of the server, ranges', unit: 's per GiB', better: 'lower' },
    many: { title: `${SIMULTANEOUS} files of 16 MB at once`, unit: 'MB/s', better: 'higher' },
    memory: {
      title: `Peak memory of the server, ${SIMULTANEOUS} at once`,
      unit: 'MB',
      better: 'lower',
    },
  },
  targets: [
    {
      metric: 'whole',
      limit: { atLeast: 0.6 },
      relativeTo: { contender: NGINX },
      reason: `nginx sends the file with sendfile, without copying it. Node has no such call, and every part is verified
        before its last bytes are sent. Copying the bytes from the file and to the connection takes 0.4 s of CPU time per
        GiB, the digest 0.05 s, so neither a thread for the digest nor trusting files that were verified recently would
        reach the target. Chunks of 512 KiB that are read ahead replaced those of 64 KiB, which took 0.8 s; 1 MiB is not
        faster.`,
    },
    {
      metric: 'ranges',
      limit: { atLeast: 0.6 },
      relativeTo: { contender: NGINX },
      reason: `The bytes are copied and verified, as for the whole file. The ratio is close to the target: three runs on
        machines of this kind had 0.6, 0.62 and 0.65.`,
    },
    {
      metric: 'memory',
      limit: { below: 150 },
      reason: `Before its first request the process has up to 144 MB, of which 63 MB are pages of the program of Node.
        The buffers that all downloads share are at most 24 MiB: 24 large ones,
        and 3 small ones for each further download.`,
    },
  ],
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)
    const contenders: Contender[] = []
    for (const { name, program } of CHECKOUTS) {
      const data = await context.folder()
      const { url, pid } = await startStowage(context, { STOWAGE_DATA: data }, program)
      const [large, small] = [
        await storeFile(send, url, GIBIBYTE),
        await storeFile(send, url, SMALLER),
      ]
      // As most files that are downloaded: the job has read them since the upload.
      for (const id of [large, small]) await untilVerified(url, id)
      await settleDisk(data)
      contenders.push(
        contender(name, [pid], {
          large: await downloadUrl(url, large),
          small: await downloadUrl(url, small),
        }),
      )
    }
    const nginx = await startNginx(context)
    await writeFiles(nginx.folder)
    const [large, small] = [`${nginx.url}/large.bin`, `${nginx.url}/small.bin`]
    return [...contenders, contender(NGINX, nginx.pids, { large, small })]
  },
}

function contender(
  name: string,
  pids: number[],
  { large, small }: { large: string; small: string },
): Contender {
  return {
    name,
    async run() {
      const whole = await rateOf(pids, GIBIBYTE, () =>
        receive(large, { status: 200, length: GIBIBYTE }),
      )
      const ranges = await rateOf(pids, GIBIBYTE, () => receiveRanges(large, GIBIBYTE))
      const many = await rateOf(pids, SIMULTANEOUS * SMALLER, async () => {
        const whole = { status: 200, length: SMALLER }
        await Promise.all(Array.from({ length: SIMULTANEOUS }, () => receive(small, whole)))
      })
      return {
        whole: whole.rate,
        ranges: ranges.rate,
        cpuWhole: whole.cpuPerGibibyte,
        cpuRanges: ranges.cpuPerGibibyte,
        many: many.rate,
        memory: many.peakMegabytes,
      }
    },
  }
}

/** Downloads a file in ranges of the same length, all at once. */
export async function receiveRanges(url: string, size: number): Promise<void> {
  const length = size / RANGES
  const ranges = Array.from({ length: RANGES }, (_, index) => {
    const start = index * length
    return receive(url, { status: 206, length }, { Range: `bytes=${start}-${start + length - 1}` })
  })
  await Promise.all(ranges)
}

async function rateOf(pids: number[], bytes: number, work: () => Promise<void>) {
  const start = performance.now()
  const { cpuSeconds, peakMegabytes } = await watchUsage(pids, work)
  const seconds = (performance.now() - start) / 1000
  const cpuPerGibibyte = (cpuSeconds * GIBIBYTE) / bytes
  return { rate: bytes / 1e6 / seconds, cpuPerGibibyte, peakMegabytes }
}

/** The signed URL of a file. */
export async function downloadUrl(url: string, id: string): Promise<string> {
  const response = await fetch(`${url}${API}/assets/${id}/download`, { redirect: 'manual' })
  await response.arrayBuffer()
  const location = response.headers.get('location')
  if (location === null) throw new Error(`no download URL: status ${response.status}`)
  return location
}

async function writeFiles(folder: string): Promise<void> {
  for (const [name, size] of Object.entries({ 'large.bin': GIBIBYTE, 'small.bin': SMALLER })) {
    const file = await open(join(folder, name), 'w')
    for (let offset = 0; offset < size; offset += BODY.length) {
      await file.write(BODY, 0, Math.min(BODY.length, size - offset))
    }
    await file.close()
  }
  await settleDisk(folder)
}
