import { openSender } from '../load/part-sender.ts'
import { BODY, settleDisk } from '../load/put-files.ts'
import { cancelUpload, requestSession } from '../load/stowage-upload.ts'
import { startStowage } from '../processes/stowage.ts'
import { watchUsage } from '../processes/usage.ts'
import type { Workload } from '../workload.ts'

const CONCURRENCY = 64
const PART = 16_000_000

export const workload: Workload = {
  title: `Upload of ${CONCURRENCY} parts of 16 MB to the disk storage, all in parallel`,
  metrics: {
    memory: { title: 'Peak memory of the server', unit: 'MB', better: 'lower' },
    rate: { title: 'Received', unit: 'MB/s', better: 'higher' },
  },
  targets: [{ metric: 'memory', limit: { below: 150 } }],
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)
    const data = await context.folder()
    const { url, pid } = await startStowage(context, {
      STOWAGE_DATA: data,
      STOWAGE_CHUNK_SIZE: `${PART}`,
    })
    async function run() {
      const session = await requestSession(url, CONCURRENCY * PART)
      const body = BODY.subarray(0, PART)
      const start = performance.now()
      const { peakMegabytes: memory } = await watchUsage([pid], () =>
        Promise.all(session.urls.map((part) => send({ method: 'PUT', url: part.url, body }))),
      )
      const seconds = (performance.now() - start) / 1000
      await cancelUpload(url, session)
      await settleDisk(data)
      return { memory, rate: (CONCURRENCY * PART) / 1e6 / seconds }
    }
    return [{ name: 'Stowage', run }]
  },
}
