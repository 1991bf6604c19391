import { watchStalls } from '../load/send-load.ts'
import { inParallel, openSender } from '../load/sender.ts'
import { cancelUpload, completeUpload, requestSession } from '../load/sessions.ts'
import {
  BODY,
  CONCURRENCY,
  GIBIBYTE,
  openFileTransfer,
  openStowageTransfer,
  openTusTransfer,
  settleDisk,
  type Transfer,
} from '../load/transfers.ts'
import { startNginx, startPeer } from '../processes/peers.ts'
import { startStowage, watchUsage } from '../processes/servers.ts'
import type { Contender, Workload } from '../workload.ts'

const TUS = 'tus, @tus/file-store'
const PLAIN = 'Stowage, fast body off'
const NGINX_SYNCED = 'nginx, PUT and fsync'

export const parts: Workload = {
  title: 'Upload of 1 GiB in parts of 100 MB to the disk storage, 4 in parallel',
  metrics: {
    rate: { title: 'Received', unit: 'MB/s', better: 'higher' },
    cpu: { title: 'CPU of the server', unit: 's', better: 'lower' },
    memory: { title: 'Peak memory of the server', unit: 'MB', better: 'lower' },
  },
  targets: [
    {
      metric: 'rate',
      limit: { atLeast: 1.2 },
      relativeTo: { contender: NGINX_SYNCED },
      reason: `Both wait for the same disk, and Stowage also computes a digest, with the same CPU time as nginx. The ratio
        depends on how busy the two cores are, which the client shares.`,
    },
    { metric: 'rate', limit: { atLeast: 1.6 }, relativeTo: { contender: TUS } },
  ],
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)
    const data = await context.folder()
    const plainData = await context.folder()
    const [tusFolder, nodeFolder] = [await context.folder(), await context.folder()]
    const ours = await startStowage(context, { STOWAGE_DATA: data })
    const plain = await startStowage(context, {
      STOWAGE_DATA: plainData,
      STOWAGE_DISK_FAST_BODY: 'false',
    })
    const tus = await startPeer(context, 'tus', { FOLDER: tusFolder })
    const node = await startPeer(context, 'node-file', { FOLDER: nodeFolder })
    const nginx = await startNginx(context)
    const { folder, pids } = nginx
    return [
      contender('Stowage', [ours.pid], () => openStowageTransfer(send, ours.url, data)),
      contender(PLAIN, [plain.pid], () => openStowageTransfer(send, plain.url, plainData)),
      contender(TUS, [tus.pid], () => openTusTransfer(send, tus.url, tusFolder)),
      contender('nginx, PUT', pids, () => openFileTransfer(send, nginx.url, { folder })),
      contender(NGINX_SYNCED, pids, () =>
        openFileTransfer(send, nginx.url, { folder, isSynced: true }),
      ),
      contender('Node, file and fsync', [node.pid], () =>
        openFileTransfer(send, node.url, { folder: nodeFolder }),
      ),
    ]
  },
}

function contender(name: string, pids: number[], prepare: () => Promise<Transfer>): Contender {
  return {
    name,
    async run() {
      const transfer = await prepare()
      const start = performance.now()
      const { cpuSeconds, peakMegabytes } = await watchUsage(pids, transfer.send)
      const seconds = (performance.now() - start) / 1000
      await transfer.cleanUp()
      return { rate: GIBIBYTE / 1e6 / seconds, cpu: cpuSeconds, memory: peakMegabytes }
    },
  }
}

const SIMULTANEOUS_PARTS = 64
const PART_SIZE = 16_000_000

export const parts64: Workload = {
  title: `Upload of ${SIMULTANEOUS_PARTS} parts of 16 MB to the disk storage, all in parallel`,
  metrics: {
    memory: { title: 'Peak memory of the server', unit: 'MB', better: 'lower' },
    rate: { title: 'Received', unit: 'MB/s', better: 'higher' },
  },
  targets: [
    {
      metric: 'memory',
      limit: { below: 150 },
      reason: `Before its first request the process has up to 144 MB, of which 63 MB are pages of the program of Node. All
        parts share four buffers of 512 KiB.`,
    },
  ],
  async open(context) {
    const { send, close } = openSender(SIMULTANEOUS_PARTS)
    context.defer(close)
    const data = await context.folder()
    const { url, pid } = await startStowage(context, {
      STOWAGE_DATA: data,
      STOWAGE_CHUNK_SIZE: `${PART_SIZE}`,
    })
    async function run() {
      const session = await requestSession(url, SIMULTANEOUS_PARTS * PART_SIZE)
      const body = BODY.subarray(0, PART_SIZE)
      const start = performance.now()
      const { peakMegabytes: memory } = await watchUsage([pid], () =>
        Promise.all(session.urls.map((part) => send({ method: 'PUT', url: part.url, body }))),
      )
      const seconds = (performance.now() - start) / 1000
      await cancelUpload(url, session)
      await settleDisk(data)
      return { memory, rate: (SIMULTANEOUS_PARTS * PART_SIZE) / 1e6 / seconds }
    }
    return [{ name: 'Stowage', run }]
  },
}

const COMPLETED_PARTS = 10_000
const COMPLETION_CLIENTS = 16
const ONE_BYTE = Buffer.from('x')

export const completion: Workload = {
  title: 'Completing a 10,000-part upload on disk',
  metrics: {
    time: { title: 'Response time', unit: 'ms', better: 'lower' },
    stall: {
      title: 'Longest response time of other clients during the completion',
      unit: 'ms',
      better: 'lower',
    },
  },
  targets: [{ metric: 'time', limit: { below: 1000 } }],
  rounds: 2,
  async open(context) {
    const { send, close } = openSender(COMPLETION_CLIENTS)
    context.defer(close)
    const { url } = await startStowage(context, { STOWAGE_CHUNK_SIZE: `${ONE_BYTE.length}` })

    async function run() {
      const session = await requestSession(url, COMPLETED_PARTS * ONE_BYTE.length)
      const parts: { PartNumber: number; ETag: string }[] = []
      const put = async ({ part, url: partUrl }: (typeof session.urls)[number]) => {
        const { headers } = await send({ method: 'PUT', url: partUrl, body: ONE_BYTE })
        parts.push({ PartNumber: part, ETag: `${headers.etag}`.replaceAll('"', '') })
      }
      const puts = session.urls.map((part) => () => put(part))
      await inParallel(COMPLETION_CLIENTS, puts)
      const { result: time, longestMs: stall } = await watchStalls(url, async () => {
        const start = performance.now()
        await completeUpload(url, session, parts)
        return performance.now() - start
      })
      return { time, stall }
    }
    return [{ name: 'Stowage', run }]
  },
}
