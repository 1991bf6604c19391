import { openSender } from '../load/part-sender.ts'
import { GIBIBYTE } from '../load/put-files.ts'
import {
  CONCURRENCY,
  openFileTransfer,
  openStowageTransfer,
  openTusTransfer,
  type Transfer,
} from '../load/transfers.ts'
import { startNginx } from '../processes/nginx.ts'
import { startPeer } from '../processes/peers.ts'
import { startStowage } from '../processes/stowage.ts'
import { watchUsage } from '../processes/usage.ts'
import type { Contender, Workload } from '../workload.ts'

const TUS = 'tus, @tus/file-store'
const PLAIN = 'Stowage, fast body off'
const NGINX_SYNCED = 'nginx, PUT and fsync'

export const workload: Workload = {
  title: 'Upload of 1 GiB in parts of 100 MB to the disk storage, 4 in parallel',
  metrics: {
    rate: { title: 'Received', unit: 'MB/s', better: 'higher' },
    cpu: { title: 'CPU of the server', unit: 's', better: 'lower' },
    memory: { title: 'Peak memory of the server', unit: 'MB', better: 'lower' },
  },
  targets: [
    { metric: 'rate', limit: { atLeast: 0.9 }, relativeTo: { contender: NGINX_SYNCED } },
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
