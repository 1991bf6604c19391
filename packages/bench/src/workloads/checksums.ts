import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { openSender } from '../load/sender.ts'
import { cancelUpload, requestSession } from '../load/sessions.ts'
import {
  CONCURRENCY,
  GIBIBYTE,
  openStowageTransfer,
  settleDisk,
  storeFile,
  untilVerified,
} from '../load/transfers.ts'
import { API, serveCommand, startServer, startStowage, watchUsage } from '../processes/servers.ts'
import type { Contender, Workload } from '../workload.ts'

const CHECKSUMS_OFF = 'Stowage, checksums off'
/** The job looks for new files twice per second. */
const JOB_STARTS_MS = 700

/**
 * Just before each transfer, another file of 1 GiB is completed. With checksums on, the service reads that file during
 * the transfer.
 */
export const checksums: Workload = {
  title:
    'Upload of 1 GiB in parts of 100 MB to the disk storage, while the SHA-256 of another file is computed',
  metrics: {
    rate: { title: 'Received', unit: 'MB/s', better: 'higher' },
    cpu: { title: 'CPU of the server', unit: 's', better: 'lower' },
  },
  targets: [
    {
      metric: 'rate',
      limit: { atLeast: 0.95 },
      relativeTo: { contender: CHECKSUMS_OFF },
      reason: `The results of both range widely and overlap. Reading and hashing the other file meanwhile takes 0.4 s of CPU
        time more, on two cores that the client uses, too.`,
    },
  ],
  rounds: 5,
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)

    async function contender(name: string, checksums: 'on' | 'off'): Promise<Contender> {
      const data = await context.folder()
      const settings = { STOWAGE_DATA: data, STOWAGE_CHECKSUMS: checksums, STOWAGE_TRASH_FOR: '0' }
      const { url, pid } = await startStowage(context, settings)
      async function run() {
        const id = await storeFile(send, url)
        const transfer = await openStowageTransfer(send, url, data)
        await settleDisk(data)
        await pause(JOB_STARTS_MS)
        const start = performance.now()
        const { cpuSeconds } = await watchUsage([pid], transfer.send)
        const seconds = (performance.now() - start) / 1000
        await transfer.cleanUp()
        if (checksums === 'on') await untilVerified(url, id)
        await fetch(`${url}${API}/assets/${id}`, { method: 'DELETE' })
        await settleDisk(data)
        return { rate: GIBIBYTE / 1e6 / seconds, cpu: cpuSeconds }
      }
      return { name, run }
    }
    return [await contender('Stowage', 'on'), await contender(CHECKSUMS_OFF, 'off')]
  },
}

const NO_SCRUB = 'Stowage, no scrub'
const CLIENTS = 4
const WARM_UP_MS = 1_500
/**
 * If the service reads fewer bytes per second, the scrub did not run all the time. While no parts are sent, a scrub
 * reads up to 20 MB/s.
 */
const SCRUBBED_PER_SECOND = 8e6

/** Each run starts the service again, so that the scrub runs only while response times are measured. */
export const scrub: Workload = {
  title: 'Response times on SQLite and disk during a scrub, 4 clients',
  metrics: {
    p99: { title: '99th percentile of the response times', unit: 'ms', better: 'lower' },
    median: { title: 'Median of the response times', unit: 'ms', better: 'lower' },
  },
  targets: [{ metric: 'p99', limit: { below: 1.2 }, relativeTo: { contender: NO_SCRUB } }],
  rounds: 5,
  seconds: 5,
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)
    const data = await context.folder()
    const command = serveCommand({ STOWAGE_DATA: data })
    const first = await startServer(serveCommand({ STOWAGE_DATA: data, STOWAGE_CHECKSUMS: 'off' }))
    let id: string
    try {
      id = await storeFile(send, first.url)
    } finally {
      await first.stop()
    }

    const contender = (name: string, isDue: boolean): Contender => ({
      name,
      async run() {
        scheduleScrub(data, isDue)
        const { url, pid, stop } = await startServer(command)
        try {
          await pause(WARM_UP_MS)
          const before = await bytesRead(pid)
          const times = await callFor(context.seconds, url, id)
          const scrubbed = ((await bytesRead(pid)) - before) / context.seconds
          if (isDue !== scrubbed > SCRUBBED_PER_SECOND) {
            throw new Error(`the service read ${scrubbed} bytes per second`)
          }
          return { p99: percentile(times, 0.99), median: percentile(times, 0.5) }
        } finally {
          await stop()
        }
      },
    })
    return [contender('Stowage', true), contender(NO_SCRUB, false)]
  },
}

function scheduleScrub(data: string, isDue: boolean): void {
  const database = new DatabaseSync(join(data, 'stowage.db'))
  const dueAt = isDue ? 0 : Date.now() + 86_400_000
  database.prepare(`update checksums set queue = 'scrub', due_at = ?`).run(dueAt)
  database.close()
}

/** Lists and reads assets, and requests and cancels uploads, for the given time. Returns all response times. */
async function callFor(seconds: number, url: string, id: string): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  const timed = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const start = performance.now()
    const result = await call()
    times.push(performance.now() - start)
    return result
  }
  const get = async (path: string) => {
    const response = await fetch(`${url}${API}${path}`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: status ${response.status}`)
  }
  const client = async () => {
    while (performance.now() < end) {
      await timed(() => get('/assets'))
      await timed(() => get(`/assets/${id}`))
      const session = await timed(() => requestSession(url, 1000))
      await timed(() => cancelUpload(url, session))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return times
}

/** The bytes that the process has read from all files and sockets. */
async function bytesRead(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/io`, 'utf8')
  return Number(/^rchar: (\d+)/m.exec(text)?.[1])
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
